"""The examples of cars on tyres from property files."""
