"""Parameters from measurements: fits, what data can tell, intervals and reports."""
