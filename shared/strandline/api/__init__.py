"""HTTP as every function speaks it: who calls, what a body may be, errors, cursors."""
