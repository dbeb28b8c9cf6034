"""The fast way: a rule set as a decoder that skips all it does not declare, and one loop made for it.

What the fast way cannot take goes the general way and gives the same counts: a rule set for which
``why_not_planned`` has an answer, and any single document that is not as plain as the loop expects.
"""
