import { type CancelRule, type JsonValue, MAX_EVENT_KEY_LENGTH, type ValidationIssue } from '@deckhand/contracts';
import { compileTriggerExpression } from '@deckhand/engine';
import { evaluateKey, findTriggerExpressionIssues } from './trigger-expression.ts';

/** Returns the issues of a workflow's `cancelOn` that its schema does not find. */
export function findCancelIssues(rules: readonly CancelRule[]): ValidationIssue[] {
  return rules.flatMap(({ key }, index) => findTriggerExpressionIssues(`settings.cancelOn[${index}].key`, key));
}

/** An event that stops a run. */
export interface CancellingEvent {
  /** Of its rule. */
  readonly index: number;
  readonly name: string;
  /** Empty for any. */
  readonly key: string;
}

/** Returns the events that stop a run with the given trigger data. A rule whose key has no value stops nothing. */
export function cancellingEvents(rules: readonly CancelRule[], trigger: JsonValue): CancellingEvent[] {
  return rules.flatMap(({ name, key: source }, index) => {
    if (source === undefined) return [{ index, name, key: '' }];
    const compiled = compileTriggerExpression(source);
    const evaluated =
      'template' in compiled ? evaluateKey(compiled.template, trigger, MAX_EVENT_KEY_LENGTH) : { key: undefined };
    return 'key' in evaluated && evaluated.key !== undefined ? [{ index, name, key: evaluated.key }] : [];
  });
}
