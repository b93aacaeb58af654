import sys
import remap_policy as policy

for line in sys.stdin:
    word = line.split()
    # KIND belief
    n, p = int(word[0]), float(word[1])
    print(int(policy.remap_now(p, n)), repr(policy.belief(p, n, word[2] == '1')))
    # KIND switching
    n, p = int(word[0]), float(word[1])
    next = policy.belief(p, int(word[3]))
    print(int(policy.remap_now(p, n, word[2] == '1')), repr(next))
    # KIND map
    loads = [int(load) for load in word]
    print(policy.decision(loads), int(policy.remap_now(loads)))
    # KIND imbalance
    print(int(policy.remap_now(int(word[0]), float(word[1]), float(word[2]))))
    # KIND curve
    step, since, most, mean = int(word[0]), int(word[1]), float(word[2]), float(word[3])
    print(int(policy.remap_now(step, since, most, mean)))
    # KIND level
    print(int(policy.remap_now(float(word[0]), float(word[1]))))
    # KIND interval
    print(int(policy.remap_now(int(word[0]))))
    # KIND end
