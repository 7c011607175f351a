"""What a Ring Processing Unit would cost: a model, fitted on what the paper states of one machine."""
