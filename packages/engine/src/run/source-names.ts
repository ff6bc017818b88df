import type { JsonObject, JsonValue } from '@deckhand/contracts';
import type { ExpressionName, ExpressionScope } from '../expressions/index.ts';
import { NO_LINKS } from '../expressions/links.ts';
import { NodeError } from '../node-type.ts';
import type { SourceReferences } from '../script.ts';

type Names = ExpressionName | '$nodes';

/**
 * Returns the values of the names that a source reads, as JSON. `$loop` is missing outside of a loop; a node without an
 * output is an empty object in `$nodes`. @param nodeIds every node of the workflow, for a source that computes the
 * names.
 */
export function sourceNames(source: SourceReferences, scope: ExpressionScope, nodeIds: readonly string[]): JsonObject {
  const names: Partial<Record<Names, JsonValue>> = {};
  for (const name of source.names) {
    const value = name === '$links' ? linksOf(scope, nodeIds) : valueOf(name, scope);
    if (value !== undefined) names[name] = value;
  }
  const ids = source.readsAnyNode ? nodeIds : source.nodes;
  const nodes = ids.map((id): [string, JsonObject] => {
    const output = scope.node(id);
    return [id, output === undefined ? {} : { output }];
  });
  if (nodes.length > 0) names.$nodes = Object.fromEntries(nodes);
  return names;
}

/** Returns the links of all nodes that have one. @throws NodeError if no addresses are known. */
function linksOf({ link }: ExpressionScope, nodeIds: readonly string[]): JsonObject {
  if (!link) throw new NodeError('EXPRESSION_FAILED', NO_LINKS, { isRetryable: false });
  return Object.fromEntries(
    nodeIds.flatMap((id): [string, string][] => {
      const url = link(id);
      return url === undefined ? [] : [[id, url]];
    }),
  );
}

function valueOf(name: Exclude<ExpressionName, '$links'>, scope: ExpressionScope): JsonValue | undefined {
  switch (name) {
    case '$trigger':
      return scope.trigger;
    case '$input':
      return scope.input;
    case '$loop':
      return scope.loop && { ...scope.loop };
    case '$loop.previous':
    case '$response':
      return undefined;
    case '$vars':
      return scope.vars;
    case '$execution':
      return scope.execution;
    case '$now':
      return scope.now();
  }
}
