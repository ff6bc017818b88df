import type { JsonValue } from '@deckhand/contracts';
import type { AgentCall, AgentContext, AgentTool, AgentTurn } from '../agent.ts';
import type { AgentSteps } from '../node-type.ts';
import { BODY_HANDLE } from '../compile/loops.ts';
import type { GraphNode } from '../compile/graph.ts';
import type { ExpressionName, ExpressionReferences } from '../expressions/index.ts';
import { recordKey } from './records.ts';
import { agentOf, cellOf, isAdded, readerOf, type Task } from './scope.ts';

/*
 * The steps of an agent: the model is asked, then the tools are called that it asked for, then it is asked again. They
 * are numbered from 0, so that each has an iteration of its own.
 */

/** Where an earlier worker left an agent. */
export interface AgentPosition {
  /** Index of the first step that has not begun. */
  readonly next: number;
  /** Indexes of those in progress. */
  readonly open: readonly number[];
  /** What came of the others. */
  readonly ended: ReadonlyMap<number, JsonValue>;
}

/** What an agent does first when it continues. */
export interface AgentStart {
  /** Steps in progress in which the model is asked: one at most. */
  readonly asking: readonly number[];
  /** Calls in progress, by their index. */
  readonly calling: ReadonlyMap<number, AgentCall>;
  /** Calls that have not begun. */
  readonly calls: AgentCall[];
}

/** Returns how an agent continues. Its last answer says which calls there are. */
export function startFrom({ callsOf }: AgentSteps, { next, open, ended }: AgentPosition): AgentStart {
  let last = 0;
  let calls: readonly AgentCall[] = [];
  for (let at = 0; at < next; at += calls.length + 1) {
    const answer = ended.get(at);
    last = at;
    calls = answer === undefined ? [] : (callsOf(answer) ?? []);
  }
  const begun = next - last - 1;
  const calling = calls.flatMap((call, place): [number, AgentCall][] => {
    const index = last + 1 + place;
    return place < begun && open.includes(index) ? [[index, call]] : [];
  });
  return {
    asking: open.filter((index) => index === last),
    calling: new Map(calling),
    calls: next === 0 ? [] : calls.slice(begun),
  };
}

/** Returns what was said, in turns. @param steps what came of each step. */
function turnsOf({ callsOf }: AgentSteps, steps: readonly JsonValue[]): AgentTurn[] {
  const turns: AgentTurn[] = [];
  for (let at = 0; at < steps.length;) {
    const answer = steps[at] ?? null;
    const end = at + 1 + (callsOf(answer)?.length ?? 0);
    turns.push({ answer, results: steps.slice(at + 1, end) });
    at = end;
  }
  return turns;
}

/** Returns the output of an agent whose last step has ended. */
export function agentOutput(agent: AgentSteps, steps: readonly JsonValue[]): JsonValue {
  return agent.outputOf(turnsOf(agent, steps));
}

/** Returns what a step of an agent, or a question about a call, sees of it; undefined for any other task. */
export function agentContext(task: Task): AgentContext | undefined {
  if (!isAdded(task.node)) return undefined;
  const { node, scope } = readerOf(task);
  const steps = node.type.agent;
  if (!steps) return undefined;
  const said = agentOf(task) ? (cellOf(scope, node).loop?.outputs.all() ?? []) : [];
  return {
    place: recordKey(node.id, scope.iteration),
    tools: toolsOf(node),
    turns: turnsOf(steps, said),
    readsData: readsData(node.references),
    call: task.scope.call,
  };
}

/** What the author of the workflow, or another member, wrote. */
const OWN_DATA = new Set<ExpressionName>(['$vars', '$execution', '$now', '$links']);

function readsData({ nodes, names }: ExpressionReferences): boolean {
  return nodes.length > 0 || [...names].some((name) => !OWN_DATA.has(name));
}

function toolsOf(agent: GraphNode): AgentTool[] {
  const targets = agent.outgoing.filter(({ handle }) => handle === BODY_HANDLE).map(({ target }) => target);
  return [...new Set(targets)].map((target) => {
    const {
      id,
      definition,
      type: { title, description },
    } = target;
    return {
      nodeId: id,
      title: definition.name ?? title,
      description,
      isDisabled: definition.disabled === true,
      hasEffects: branchHasEffects(target),
    };
  });
}

/** Returns whether a node, or one after it, has effects outside. Those in bodies of containers are after these. */
function branchHasEffects(first: GraphNode): boolean {
  const found = new Set([first]);
  for (const { definition, type, outgoing } of found) {
    if (type.hasEffects && definition.disabled !== true) return true;
    for (const { target } of outgoing) found.add(target);
  }
  return false;
}
