import type { Definition, Execution, NodeProgress, NodeStatus } from '@deckhand/contracts';
import { containersOf } from '../../graph/containers.ts';
import type { NodeTypes } from '../../graph/handles.ts';
import { formatNumber } from '../../language/i18n.ts';
import { attemptsOf, type ShownAttempt } from './attempts.ts';

/** A part of the timeline, in percent of its length. */
export interface Span {
  readonly left: number;
  readonly width: number;
}

/** The time of one of several attempts of a node. */
export type AttemptSpan = ShownAttempt & Span;

/** A node's time on the timeline. */
export interface Bar extends Span {
  readonly nodeId: string;
  readonly status: NodeStatus;
  readonly attempts: number;
  /** The latest attempts of a node with several. */
  readonly attemptSpans: readonly AttemptSpan[];
  /** Number of iterations of a node in a loop; otherwise 0. */
  readonly iterations: number;
  /** The number of iterations per status. */
  readonly iterationCounts: NodeProgress['iterationCounts'];
  /** Number of loops that contain it. */
  readonly depth: number;
  /** Whether its output is that of an earlier run: its time is before this one. */
  readonly isReused: boolean;
  readonly startedAt: string;
  readonly finishedAt: string | null;
}

/** The times of a run. */
export interface RunTimes {
  readonly bars: readonly Bar[];
  /** The time in the queue; undefined while no node has started. */
  readonly queue: (Span & { readonly ms: number }) | undefined;
  /** Returns the ticks of a view, in percent of it. */
  readonly ticksOf: (view: Span) => readonly { readonly left: number; readonly label: string }[];
  /** Returns the place of a time span, such as of an iteration. */
  readonly spanOf: (startedAt: string, finishedAt: string | null) => Span;
}

/**
 * Returns the times of a run from when it was queued, or was to start. Nodes are in the order of their starts, each
 * loop followed by the nodes of its body. Nodes whose outputs a rerun has reused come first, without a length: their
 * times are those of the earlier run.
 */
export function toTimes(
  {
    progress,
    createdAt,
    startAt,
    startedAt: begunAt,
  }: Pick<Execution, 'progress' | 'createdAt' | 'startAt' | 'startedAt'>,
  { definition, types }: { readonly definition: Pick<Definition, 'nodes' | 'edges'>; readonly types: NodeTypes },
  now: number,
): RunTimes {
  // Nodes that started in the same millisecond are in the order of the definition.
  const rank = new Map(definition.nodes.map(({ id }, index) => [id, index]));
  const rankOf = (nodeId: string): number => rank.get(nodeId) ?? rank.size;
  const queuedAt = Math.max(Date.parse(createdAt), startAt === null ? 0 : Date.parse(startAt));
  const begun = Object.entries(progress).flatMap(([nodeId, node]) => {
    const { status, attempts, iterations = 0, iterationCounts, startedAt, finishedAt } = node;
    if (startedAt === null) return [];
    const [from, to] = [Date.parse(startedAt), endOf(finishedAt, now)];
    const isReused = from < Date.parse(createdAt) && to <= Date.parse(createdAt);
    const shown = { nodeId, status, attempts, iterations, iterationCounts, startedAt, finishedAt };
    return [{ ...shown, from, to, isReused, tried: isReused ? [] : timesOfAttempts(node, { from, to }) }];
  });
  const own = begun.filter(({ isReused }) => !isReused);
  // The clocks of workers may be behind that of the database.
  const from = Math.min(queuedAt, ...own.map((node) => node.from));
  const to = Math.max(begunAt === null ? from : Date.parse(begunAt), ...own.map((node) => node.to));
  const whole = Math.max(1, to - from);
  const place = (start: number, end: number): Span => ({
    left: ((start - from) / whole) * 100,
    width: (Math.max(0, end - start) / whole) * 100,
  });
  const parents = findLoops(definition, types);
  const bars = begun
    .sort((a, b) => Number(b.isReused) - Number(a.isReused) || a.from - b.from || rankOf(a.nodeId) - rankOf(b.nodeId))
    .map(({ from: start, to: end, tried, ...bar }) => ({
      ...bar,
      ...(bar.isReused ? NOWHERE : place(start, end)),
      attemptSpans: tried.map(({ from: begin, to: stop, ...attempt }) => ({ ...attempt, ...place(begin, stop) })),
    }));
  const queueMs = begunAt === null ? 0 : Math.max(0, Date.parse(begunAt) - queuedAt);
  return {
    bars: nest(bars, parents),
    queue: begunAt === null ? undefined : { ...place(queuedAt, queuedAt + queueMs), ms: queueMs },
    ticksOf: (view) => toTicks(whole, view),
    spanOf: (startedAt, finishedAt) => place(Date.parse(startedAt), endOf(finishedAt, now)),
  };
}

/** Returns the attempts of a node with their times, in ms, within those of the node. */
function timesOfAttempts(
  node: NodeProgress,
  { from, to }: { readonly from: number; readonly to: number },
): (ShownAttempt & { readonly from: number; readonly to: number })[] {
  const within = (time: number): number => Math.min(to, Math.max(from, time));
  return attemptsOf(node).map((attempt, index, all) => {
    const end = attempt.finishedAt ?? all[index + 1]?.startedAt;
    return {
      ...attempt,
      from: within(Date.parse(attempt.startedAt)),
      to: end === undefined ? to : within(Date.parse(end)),
    };
  });
}

const NOWHERE: Span = { left: 0, width: 0 };

function endOf(finishedAt: string | null, now: number): number {
  return finishedAt === null ? now : Date.parse(finishedAt);
}

/** Returns the innermost loop or agent of each node in the body of one. */
function findLoops(definition: Pick<Definition, 'nodes' | 'edges'>, types: NodeTypes): ReadonlyMap<string, string> {
  const loops = containersOf(definition, types).filter(({ kind }) => kind !== 'try');
  return new Map(
    loops.toReversed().flatMap(({ node, kind, body }) => {
      const inside = kind === 'agent' ? [`${node.id}.steps`, `${node.id}.approval`, ...body] : [...body];
      return inside.map((id) => [id, node.id] as const);
    }),
  );
}

/** Puts the nodes of bodies after their loops. */
function nest(bars: readonly Omit<Bar, 'depth'>[], parents: ReadonlyMap<string, string>): Bar[] {
  const listed = new Set(bars.map(({ nodeId }) => nodeId));
  const parentOf = (nodeId: string): string | undefined => {
    const parent = parents.get(nodeId);
    return parent !== undefined && listed.has(parent) ? parent : undefined;
  };
  const under = (parent: string | undefined, depth: number): Bar[] =>
    bars
      .filter(({ nodeId }) => parentOf(nodeId) === parent)
      .flatMap((bar) => [{ ...bar, depth }, ...under(bar.nodeId, depth + 1)]);
  return under(undefined, 0);
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].flatMap((count) => [count * SECOND, count * MINUTE]),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 5, 10, 30, 100].map((count) => count * DAY),
].sort((a, b) => a - b);
/** Maximum number of ticks after the first. */
const MAX_TICKS = 5;

function toTicks(whole: number, view: Span): ReturnType<RunTimes['ticksOf']> {
  const [from, length] = [(view.left / 100) * whole, (view.width / 100) * whole];
  const step = STEPS.find((one) => length / one <= MAX_TICKS) ?? length / MAX_TICKS;
  const first = Math.ceil(from / step);
  const count = Math.floor((from + length) / step) - first;
  return Array.from({ length: count + 1 }, (_, index) => {
    const at = (first + index) * step;
    return { left: ((at - from) / length) * 100, label: describeTick(at, step) };
  });
}

/** @param step between ticks: parts of it are written, so that no two ticks look the same. */
function describeTick(ms: number, step: number): string {
  const [unit, name] = (
    [
      [DAY, 'd'],
      [HOUR, 'h'],
      [MINUTE, 'min'],
      [SECOND, 's'],
      [1, 'ms'],
    ] as const
  ).find(([size]) => ms >= size) ?? [1, 'ms'];
  const places = Math.min(MAX_PLACES, Math.max(1, Math.ceil(Math.log10(unit / step))));
  return `${formatNumber(ms / unit, { atMost: places })} ${name}`;
}

/** Maximum number of decimals of a tick. */
const MAX_PLACES = 6;
