import { type DefinitionWarning, warningOf } from '@deckhand/contracts';
import type { CompiledWorkflow, GraphNode } from '../compile/graph.ts';
import { conditions, dateFormats, foreignSyntax } from './expressions.ts';
import { deadEnds, errorBranches, unreachable } from './graph.ts';
import { mocks } from './mocks.ts';
import { references } from './references.ts';
import { MAX_WARNINGS, type Rule } from './rule.ts';
import { secrets } from './secrets.ts';
import { finalFailures, missingCredentials, timeLimits, undecided, unheeded } from './settings.ts';

/** The checks of the types of nodes, each of its own parameters. */
const ofTypes: Rule = () => (node) =>
  (node.type.warn?.(node.definition.parameters ?? {}) ?? []).map((warning) => ({
    ...warning,
    path: warning.path === '' ? 'parameters' : `parameters.${warning.path}`,
  }));

/** The rules for nodes that run. docs/warnings.md explains the codes of what they find. */
const RULES: readonly Rule[] = [
  ofTypes,
  conditions,
  foreignSyntax,
  dateFormats,
  references,
  unreachable,
  deadEnds,
  errorBranches,
  unheeded,
  finalFailures,
  timeLimits,
  missingCredentials,
  mocks,
];
/** The rules that hold for disabled nodes, too. */
const RULES_FOR_ALL: readonly Rule[] = [undecided, secrets];

/**
 * Finds parts of a valid definition that may be unintended.
 * @returns warnings for the author in the order of the nodes, at most `MAX_WARNINGS` and one that there are more.
 */
export function findWarnings(workflow: CompiledWorkflow): DefinitionWarning[] {
  const steps = findWarningsInSteps(workflow);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * The same in steps: other work may run at each `yield`. A rule that throws is skipped from then on, because a warning
 * must never keep a definition from being saved; the last warning then says that there may be more.
 */
export function* findWarningsInSteps(workflow: CompiledWorkflow): Generator<undefined, DefinitionWarning[]> {
  const rules = [...RULES.map(whileEnabled), ...RULES_FOR_ALL].map((rule) => new PreparedRule(rule, workflow));
  const warnings: DefinitionWarning[] = [];
  for (const [index, { id }] of workflow.definition.nodes.entries()) {
    yield;
    const node = workflow.nodes.get(id);
    if (!node) continue;
    for (const { code, path, ...finding } of rules.flatMap((rule) => rule.check(node))) {
      const place = path === '' ? `nodes[${index}]` : `nodes[${index}].${path}`;
      warnings.push(warningOf(code, { ...finding, nodeId: id, path: place }));
    }
    if (warnings.length > MAX_WARNINGS) return [...warnings.slice(0, MAX_WARNINGS), more()];
  }
  return rules.some(({ hasFailed }) => hasFailed) ? [...warnings, more()] : warnings;
}

const more = (): DefinitionWarning =>
  warningOf('MORE_WARNINGS', { path: '', message: 'There may be more warnings than are listed.' });

const whileEnabled =
  (rule: Rule): Rule =>
  (workflow) => {
    const check = rule(workflow);
    return (node) => (node.definition.disabled === true ? [] : check(node));
  };

/** A rule with what it needs of a workflow, until it throws. */
class PreparedRule {
  #check: ReturnType<Rule> | undefined;

  constructor(rule: Rule, workflow: CompiledWorkflow) {
    try {
      this.#check = rule(workflow);
    } catch {
      this.#check = undefined;
    }
  }

  get hasFailed(): boolean {
    return this.#check === undefined;
  }

  check(node: GraphNode): ReturnType<ReturnType<Rule>> {
    try {
      return this.#check?.(node) ?? [];
    } catch {
      this.#check = undefined;
      return [];
    }
  }
}
