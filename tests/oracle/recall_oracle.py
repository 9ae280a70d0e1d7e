"""Judges the recall solver's plans by a mixed integer program of the same problem, solved to proven optimality.

usage: recall_oracle.py RECALL_DUMP [FIRST_SEED LAST_SEED]

The program is written from the problem's definition, not from the solver's model: binary y per unit; per node the pods
gained, an integer bounded by what is freed (partial) or by a binary that needs every unit there (whole node).
Fails on another optimum, on a bound above the optimum, on a plan that is illegal, and on "no plan" where there is one.
"""

import json
import subprocess
import sys

import highspy

INF = highspy.kHighsInf


class Program:
    def __init__(self):
        self.highs = highspy.Highs()
        self.highs.silent()
        self.highs.setOptionValue("mip_rel_gap", 0.0)
        self.highs.setOptionValue("mip_abs_gap", 0.5)  # costs are integers
        self.highs.setOptionValue("threads", 1)
        self.columns = 0

    def column(self, low, high, cost=0.0):
        self.highs.addVar(low, high)
        self.highs.changeColCost(self.columns, cost)
        self.highs.changeColIntegrality(self.columns, highspy.HighsVarType.kInteger)
        self.columns += 1
        return self.columns - 1

    def row(self, low, terms, high):
        sums = {}
        for column, factor in terms:
            sums[column] = sums.get(column, 0) + factor
        used = {c: f for c, f in sums.items() if f != 0}
        if not used:
            if low > 0 or high < 0:
                self.row_impossible()
            return
        self.highs.addRow(low, high, len(used), list(used), [float(f) for f in used.values()])

    def row_impossible(self):
        column = self.column(0, 1)
        self.highs.addRow(2.0, INF, 1, [column], [1.0])

    def minimum(self):
        self.highs.run()
        status = self.highs.getModelStatus()
        if status == highspy.HighsModelStatus.kInfeasible:
            return None
        if status == highspy.HighsModelStatus.kModelEmpty:
            return 0
        assert status == highspy.HighsModelStatus.kOptimal, status
        return round(self.highs.getObjectiveValue())


def add_nodes(program, problem, y):
    request = problem["request"]
    per_node = {}
    for u, unit in enumerate(problem["units"]):
        for node, freed in unit["shares"]:
            per_node.setdefault(node, []).append((y[u], freed))
    gains = []
    for n, shares in sorted(per_node.items()):
        node = problem["nodes"][n]
        if problem["whole"]:
            if node["blocked"]:
                continue
            after = [idle + sum(f[d] for _, f in shares) for d, idle in enumerate(node["idle"])]
            pods = min([max(node["maxPods"], 0)] + [max(a, 0) // r for a, r in zip(after, request)])
            x = program.column(0, 1)
            for unit, _ in shares:
                program.row(0, [(unit, 1), (x, -1)], INF)
            gains.append((x, pods - node["before"]))
        else:
            gain = program.column(0, max(node["maxPods"] - node["before"], 0))
            for d, idle in enumerate(node["idle"]):
                # request * (before + gain) <= idle + freed
                terms = [(unit, freed[d]) for unit, freed in shares] + [(gain, -request[d])]
                program.row(request[d] * node["before"] - idle, terms, INF)
            gains.append((gain, 1))
    program.row(problem["wanted"], gains, INF)


def add_budget(program, slack, straddle, draws):
    """draws: (column, amount). Straddling: the sum without its largest part stays below the slack."""
    draws = [(column, amount) for column, amount in draws if amount > 0]
    total = sum(amount for _, amount in draws)
    if not straddle:
        program.row(-INF, draws, max(slack, 0))
        return
    # Either within the slack, or one of the stopped units is the one that straddles.
    within = program.column(0, 1)
    straddler = [(program.column(0, 1), column, amount) for column, amount in draws]
    program.row(1, [(within, 1)] + [(pick, 1) for pick, _, _ in straddler], 1)
    program.row(-INF, draws + [(within, total)], max(slack, 0) + total)
    for pick, column, _ in straddler:
        program.row(0, [(column, 1), (pick, -1)], INF)
        rest = [(c, a) for c, a in draws if c != column]
        program.row(-INF, rest + [(pick, total + abs(slack) + 1)], slack - 1 + total + abs(slack) + 1)


def optimum(problem):
    program = Program()
    y = [program.column(0, 1, float(unit["cost"])) for unit in problem["units"]]
    add_nodes(program, problem, y)
    for u, unit in enumerate(problem["units"]):
        for needed in unit["requires"]:
            program.row(0, [(y[needed], 1), (y[u], -1)], INF)
    for b, (slack, straddle) in enumerate(problem["budgets"]):
        if slack is not None:
            draws = [(y[u], a) for u, unit in enumerate(problem["units"]) for k, a in unit["draws"] if k == b]
            add_budget(program, slack, straddle, draws)
    if problem["maxStopped"] is not None:
        add_budget(program, problem["maxStopped"], False, [(y[u], unit["gpus"]) for u, unit in enumerate(problem["units"])])
    for r, need in enumerate(problem["reliefs"]):
        gives = [(y[u], a) for u, unit in enumerate(problem["units"]) for k, a in unit["reliefs"] if k == r]
        program.row(need, gives, INF)
    return program.minimum()


def fault(plan, best):
    if best is None:
        return None if plan is None else f"a plan of {plan['cost']} where none is legal"
    if plan is None:
        return f"no plan, but one costs {best}"
    if plan["cost"] < best:
        return f"cost {plan['cost']} below the optimum {best}: the plan must be illegal"
    if plan["lowerBound"] > best:
        return f"bound {plan['lowerBound']} above the optimum {best}"
    if plan["cost"] > best:
        return f"cost {plan['cost']}, optimum {best}"
    return None


def main():
    first, last = sys.argv[2:4] if len(sys.argv) > 3 else ("1", "240")
    dump = subprocess.run([sys.argv[1], first, last], capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in dump.stdout.splitlines()]
    faults, planned, proven = 0, 0, 0
    for line in lines:
        what = fault(line["plan"], optimum(line["problem"]))
        planned += line["plan"] is not None
        proven += line["plan"] is not None and line["plan"]["optimal"]
        if what:
            faults += 1
            print(f"seed {line['seed']}: {what}")
    print(f"{len(lines)} problems, {planned} with a plan, {proven} proven optimal by ourselves, {faults} faults")
    sys.exit(1 if faults or planned < len(lines) // 4 else 0)


if __name__ == "__main__":
    main()
