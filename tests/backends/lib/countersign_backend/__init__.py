"""What the example backends share: who may talk to them, and what their tools and models saw."""
