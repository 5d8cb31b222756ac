"""Pure checks of trials against expectations."""
