"""The methods that come with the library, a file for each."""
