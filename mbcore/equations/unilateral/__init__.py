"""Contacts and held slips: forces, impulses, transitions."""
