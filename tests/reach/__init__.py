"""What tests reach of the code, told by the code itself: notes cost less than a tracer."""
