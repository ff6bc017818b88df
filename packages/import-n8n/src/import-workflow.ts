import {
  type Definition,
  type EdgeDefinition,
  type JsonObject,
  MAX_NOTES,
  MAX_TIMEOUT_SECONDS,
  type NodeDefinition,
  type NoteDefinition,
} from '@deckhand/contracts';
import type { Scope } from './expressions/scope.ts';
import { type Attachments, findAttachments } from './attachments.ts';
import { withFiles } from './files.ts';
import { withGates } from './gates.ts';
import { braced } from './expressions/template.ts';
import type { Cycle } from './cycles.ts';
import { analyze, commonRoute, type Graph, isWithin, type Route } from './graph.ts';
import { uniqueIds } from './ids.ts';
import { edgeFrom, type Join, joinWays, type Way } from './joins.ts';
import { layOut } from './layout.ts';
import type { Conversion, Converted, Output } from './nodes/converter.ts';
import { afterLoop, loopNode } from './nodes/loop.ts';
import { converterOf, isTrigger, shortType } from './nodes/registry.ts';
import { UNPAIRED, withPairs } from './pairs.ts';
import { type Exit, type First, inputOfCycle, loopOf, repeatCycle } from './repeat.ts';
import { asList, firstItem, optional, type Pairs, type Source } from './source.ts';
import { isWholeSticky, toSticky } from './sticky-note.ts';
import { stubOf } from './stub.ts';
import { afterStub, type ImportLevel, type ImportNote, partOf } from './tasks.ts';
import { passedOn, withOptions } from './options.ts';
import { unsupported, UnsupportedError } from './unsupported.ts';
import { isList, type N8nConnection, type N8nNode, type N8nWorkflow, text } from './workflow.ts';

/** A converted workflow. */
export interface ConvertedWorkflow {
  readonly definition: Definition;
  readonly notes: readonly ImportNote[];
  /** The data of the outputs of each node, by its name in n8n: for tests that compare it with that of n8n. */
  readonly outputs: ReadonlyMap<string, readonly Output[]>;
}

/** Nodes that are only text on the canvas. */
const STICKY_NOTE = 'stickyNote';

/**
 * Converts a workflow, node by node. A node that cannot be converted becomes a stub that fails.
 * @param refused nodes that must become stubs, with the reason.
 */
export function* convertInSteps(
  workflow: N8nWorkflow,
  refused: ReadonlyMap<string, string>,
): Generator<undefined, ConvertedWorkflow> {
  const refusedCycles = new Set(refused.keys());
  const unused = new Set<N8nConnection>();
  for (let pass = 1; ; pass += 1) {
    const conversion = new WorkflowConversion(workflow, { refused, refusedCycles, unused });
    const converted = yield* conversion.convertInSteps();
    const isWhole = conversion.refusedCycles.size === 0 && (conversion.unused.size === 0 || pass > MAX_PASSES);
    if (isWhole) return converted;
    for (const connection of conversion.unused) unused.add(connection);
    const others = pass < MAX_PASSES ? conversion.refusedCycles : workflow.nodes.map(({ name }) => name);
    for (const name of others) refusedCycles.add(name);
  }
}

/** How often cycles that turn out to be none of those that can be repeated are left out, before all of them are. */
const MAX_PASSES = 3;

const BRANCHES =
  'it runs for one branch after the other, once all of them are done; n8n goes on with each branch on its own';
/** Why data of a part that is repeated here cannot be used outside. */
const OTHER_PART = 'it gets data of nodes that run once for each of several branches';

/** Beginning of the names of parts that run once for each of several branches. */
const BRANCHES_INTO = 'branches into ';

/** Returns the name of the part of a cycle. */
function cycleAt(name: string): string {
  return `cycle at ${name}`;
}

function portOf(name: string, output: number): string {
  return `${output} ${name}`;
}

/** In routes, what names the trigger that started the run. */
const STARTED_BY = '';
/** Triggers that other workflows start in n8n, the one that is called most first. */
const CALLED = ['executeWorkflowTrigger', 'errorTrigger'];
/** Distance of columns in n8n, in px. */
const COLUMN = 220;
/** Types with several inputs. */
const JOINS = new Set(['merge', 'compareDatasets']);
/** Maximum number of connections into a node. */
const MAX_INCOMING = 100;
/** Maximum size of the parameters of a node that is converted, as JSON: some conversions take long for many of them. */
const MAX_PARAMETERS = 65_536;
/** Maximum size of what a node becomes, as JSON: expressions here can be many times as long as those of n8n. */
const MAX_CONVERTED = 500_000;
/** Maximum size of what all nodes become; a request for a definition may have as much. */
const MAX_CONVERTED_IN_ALL = 10_485_760;

/** What an earlier pass found that cannot be converted. */
interface Refused {
  readonly refused: ReadonlyMap<string, string>;
  readonly refusedCycles: ReadonlySet<string>;
  readonly unused: ReadonlySet<N8nConnection>;
}

/** What is known of a node that was converted. */
interface Done {
  readonly outputs: readonly Output[];
  readonly route: Route;
  /** The nodes that lead to it. */
  readonly before: ReadonlySet<string>;
}

class WorkflowConversion {
  readonly #workflow: N8nWorkflow;
  readonly #refused: ReadonlyMap<string, string>;
  readonly #graph: Graph;
  readonly #attachments: Attachments;
  readonly #idOf: (name: string) => string;
  readonly #variables = new Map<string, string>();
  readonly #done = new Map<string, Done>();
  /** Connections back to the beginning of a loop or cycle, by the node that they come from. */
  readonly #back: ReadonlyMap<string, readonly N8nConnection[]>;
  /** The outputs of nodes that choose one of them. */
  readonly #handles = new Map<string, ReadonlySet<string>>();
  /** The shape of what the first node of a cycle gets. */
  readonly #shapes = new Map<string, Source['shape']>();
  /** The nodes of each part of the workflow that is in a loop here, by a name of the part. */
  readonly #parts: Map<string, ReadonlySet<string>>;
  /** What becomes of outputs that lead out of cycles, by the output and its node. */
  readonly #exits = new Map<string, Exit & { readonly route: Route }>();
  /** Cycles that cannot be repeated, by their first node. */
  readonly refusedCycles = new Set<string>();
  /** Connections of outputs that their node does not have. */
  readonly unused = new Set<N8nConnection>();
  /** Those that were left out. */
  readonly #left: ReadonlySet<N8nConnection>;
  readonly #nodes: NodeDefinition[] = [];
  readonly #edges: EdgeDefinition[] = [];
  readonly #notes: ImportNote[] = [];
  readonly #stickies: NoteDefinition[] = [];
  #converted = 0;

  constructor(given: N8nWorkflow, { refused, refusedCycles, unused }: Refused) {
    const workflow = { ...given, connections: given.connections.filter((each) => !unused.has(each)) };
    this.#workflow = workflow;
    this.#refused = refused;
    this.#left = unused;
    this.#graph = analyze(workflow, refusedCycles);
    const again = [...this.#graph.cycles.values()].flatMap((cycle) => cycle.again);
    this.#back = Map.groupBy([...this.#graph.back, ...again], ({ source }) => source);
    this.#parts = new Map([
      ...[...this.#graph.loops].map(([name, { members }]) => [name, members] as const),
      ...[...this.#graph.cycles].map(([name, { members }]) => [cycleAt(name), members] as const),
    ]);
    this.#attachments = findAttachments(workflow);
    this.#idOf = uniqueIds([...workflow.nodes.map(({ name }) => name), '']);
  }

  *convertInSteps(): Generator<undefined, ConvertedWorkflow> {
    for (const node of this.#graph.order) {
      this.#convertNode(node);
      yield;
    }
    this.#returnLast();
    // A definition needs a trigger. As in n8n, nodes that it does not lead to never run.
    if (!this.#nodes.some(({ type }) => type.startsWith('trigger.'))) {
      const left = this.#nodes.find(({ position }) => position)?.position;
      const position = left && { position: { x: left.x - COLUMN, y: left.y } };
      this.#nodes.push({ id: this.#idOf(''), type: 'trigger.manual', name: 'No trigger in n8n', ...position });
    }
    const seconds = this.#workflow.settings.executionTimeout;
    const settings =
      typeof seconds === 'number' && seconds > 0
        ? { timeoutSeconds: Math.min(seconds, MAX_TIMEOUT_SECONDS) }
        : undefined;
    return {
      definition: yield* layOut({
        nodes: this.#withDefaultTrigger(),
        edges: this.#usedEdges(),
        ...(settings && { settings }),
        ...(this.#stickies.length > 0 && { notes: this.#stickies }),
      }),
      notes: this.#notes,
      outputs: new Map([...this.#done].map(([name, { outputs }]) => [name, outputs])),
    };
  }

  /**
   * Returns the nodes with the trigger first that starts by default. Starts by other workflows and of error workflows
   * always begin there.
   */
  #withDefaultTrigger(): NodeDefinition[] {
    const names = new Map(this.#notes.flatMap(({ node, nodeIds }) => nodeIds.map((id) => [id, node] as const)));
    const types = new Map(this.#workflow.nodes.map(({ name, type }) => [name, shortType(type)]));
    const isOf = (type: string) => (node: NodeDefinition) =>
      node.type === 'trigger.manual' && node.disabled !== true && types.get(names.get(node.id) ?? '') === type;
    const called = CALLED.map((type) => this.#nodes.find(isOf(type))).find((node) => node !== undefined);
    const nodes = called ? [called, ...this.#nodes.filter((node) => node !== called)] : this.#nodes;
    const manual = nodes.filter(({ type }) => type === 'trigger.manual');
    const first = names.get(nodes.find(({ type }) => type.startsWith('trigger.'))?.id ?? '');
    if (manual.length < 2 || first === undefined) return nodes;
    for (const { id } of manual) {
      this.#amend(
        names.get(id) ?? '',
        `of the triggers, starts that name none begin at "${first}", so all by other workflows and of error workflows`,
      );
    }
    return nodes;
  }

  /**
   * Returns the edges without those of nodes that never run to others that do: such a node is outside of the body of a
   * loop, into which no edge may lead from there.
   */
  #usedEdges(): EdgeDefinition[] {
    const targets = Map.groupBy(this.#edges, ({ source }) => source);
    const reached = new Set(this.#nodes.filter(({ type }) => type.startsWith('trigger.')).map(({ id }) => id));
    for (const id of reached) for (const { target } of targets.get(id) ?? []) reached.add(target);
    return this.#edges.filter(({ source, target }) => reached.has(source) || !reached.has(target));
  }

  #convertNode(node: N8nNode): void {
    const { name, type } = node;
    if (shortType(type) === STICKY_NOTE) {
      this.#keepSticky(node);
      return;
    }
    const owner = this.#attachments.ownerOf(name);
    if (owner !== undefined) {
      this.#note(node, 'manual', [], [partOf(owner)]);
      return;
    }
    const reviews = new Set<string>();
    const incoming = this.#graph.into(name);
    const id = this.#idOf(name);
    const beforeEach = incoming.map(({ source }) => [source, ...(this.#done.get(source)?.before ?? [])]);
    const route = isTrigger(type)
      ? new Map([[STARTED_BY, new Set([id])]])
      : commonRoute(
          incoming.map((each) => this.#wayOf(each).route),
          (each) => this.#handles.get(each),
        );
    let before = new Set(beforeEach.flat());
    let join = this.#plainJoin(incoming);
    let converted: Converted;
    let level: ImportLevel = 'converted';
    try {
      join = this.#join(node, id, incoming, route);
      if (join.isRepeated) {
        // One branch runs without the others in n8n.
        before = new Set([...before].filter((each) => beforeEach.every((names) => names.includes(each))));
        reviews.add(BRANCHES);
      }
      converted = this.#tryNode(node, { id, incoming, join, before, route, review: (message) => reviews.add(message) });
    } catch (error) {
      const reason = reasonOf(error);
      reviews.clear();
      reviews.add(reason);
      if (join.isRepeated) reviews.add(BRANCHES);
      const stub = this.#stub(node, id, reason, (message) => reviews.add(message));
      converted = this.#disabled(node, stub, join, this.#hasAll(incoming, route)) ?? stub;
      level = 'manual';
    }
    const entry = converted.nodes[0]?.id ?? id;
    const between = [...join.nodes];
    this.#edges.push(...unique(join.edgesTo(entry)), ...converted.edges);
    this.#nodes.push(...[...converted.nodes, ...between].map((each, index) => place(each, node, index)));
    const [given] = join.inputs;
    const paired = (each: Output): Output => withFiles(withPairs(each, node, given), node, given);
    this.#done.set(name, { outputs: converted.outputs.map(paired), route, before });
    this.#noteHandles(converted.outputs);
    const strays = this.#graph.stray.filter(({ source }) => source === name);
    const unused = [...this.#left].filter(({ source }) => source === name).map(({ output }) => output + 1);
    if (unused.length > 0) {
      const numbers = [...new Set(unused)].toSorted((a, b) => a - b).join(', ');
      reviews.add(`it has no output ${numbers}, so that what is connected there never runs, as in n8n`);
    }
    const messages = [
      ...reviews,
      ...strays.map(({ target }) => `its way to "${target}" is left out, because it leads into the body of a loop`),
      ...remarksOn(node),
    ];
    const neverRuns = incoming.length === 0 && !isTrigger(type);
    const isReviewed = neverRuns || (level === 'converted' && messages.length > 0);
    const ids = [...converted.nodes, ...between].map((each) => each.id);
    this.#note(node, isReviewed ? 'review' : level, ids, messages);
    this.#endCycles(name);
    this.#noteLoops(name);
  }

  /** Notes the outputs of a node of which each run takes one. */
  #noteHandles(outputs: readonly Output[]): void {
    const choices = outputs.filter(({ handle }) => handle !== undefined);
    const [first] = choices;
    const isOne = first && choices.every(({ nodeId, mayBeEmpty }) => nodeId === first.nodeId && mayBeEmpty !== true);
    const handles = choices.flatMap(({ handle }) => handle ?? []);
    if (isOne && handles.length > 1) this.#handles.set(first.nodeId, new Set(handles));
  }

  #keepSticky(node: N8nNode): void {
    const isRoom = this.#stickies.length < MAX_NOTES;
    if (isRoom) this.#stickies.push(toSticky(node, `note${this.#stickies.length + 1}`));
    // What is not on the canvas is in the report.
    const isKept = isRoom && isWholeSticky(node);
    const messages = isKept ? [] : [`a note on the canvas: ${text(node.parameters.content) ?? ''}`];
    this.#note(node, isKept ? 'converted' : 'review', [], messages);
  }

  #tryNode(
    node: N8nNode,
    {
      id,
      incoming,
      join,
      before,
      route,
      review,
    }: {
      id: string;
      incoming: readonly N8nConnection[];
      join: Join;
      before: ReadonlySet<string>;
      route: Route;
      review: (message: string) => void;
    },
  ): Converted {
    const { name, type, parameters } = node;
    const reason = this.#refused.get(name);
    if (reason !== undefined) return unsupported(reason);
    if (JSON.stringify(parameters).length > MAX_PARAMETERS) {
      return unsupported(`its parameters have more than ${MAX_PARAMETERS} characters`);
    }
    if (this.#attachments.of(name).length > 0) return unsupported('a node with models, tools or memories');
    const { inputs } = join;
    for (const { guess } of inputs) {
      if (guess !== undefined) review(afterStub(guess));
    }
    const given: Source = inputs[0] ?? { text: '{}', shape: 'one' };
    const input: Source =
      node.original.executeOnce === true && given.shape === 'list' ? { text: firstItem(given), shape: 'one' } : given;
    const dataOf = (other: string): Source | undefined => this.#dataOf(other, name, before, route);
    const scope: Scope = {
      item: firstItem(input),
      index: '0',
      input,
      nodeNamed(other) {
        const source = dataOf(other);
        if (!source) return unsupported(`the node "${other}", which does not always run before`);
        if (source.hasRun === undefined) return source;
        // As in n8n, an expression fails that needs a node which did not run.
        const failing = `convert.object(${JSON.stringify(`the node "${other}" has not run`)})`;
        return { ...source, text: `(${optional(source.text)} ?? ${failing})` };
      },
      workflowName: this.#workflow.name,
      timezone: timezoneOf(this.#workflow.settings),
      paired: this.#pairsAt(name, input),
      review,
    };
    const forward = new Set(this.#graph.outOf(name).map(({ output }) => output));
    const back = this.#backOf(name).map(({ output }) => output);
    for (const { target, output } of this.#backOf(name)) if (this.#graph.cycles.has(target)) forward.add(output);
    const conversion: Conversion = {
      node,
      parameters,
      id,
      inputs,
      hasAllInputs: this.#hasAll(incoming, route),
      input,
      scope,
      scopeOfEach: { ...scope, item: 'item', index: 'index' },
      connected: new Set([...forward, ...back]),
      hasResponder: this.#workflow.nodes.some((each) => shortType(each.type) === 'respondToWebhook'),
      isInLoop: this.#partsWith(name).length > 0,
      workflowName: this.#workflow.name,
      variables: this.#variables,
      review,
      dataOf,
    };
    const body = this.#graph.loops.get(name);
    if (body?.members.size === 0) return unsupported('a loop without a body');
    const convert = body ? (each: Conversion) => loopNode(each, body.output) : converterOf(type);
    if (!convert) return unsupported(`there is no such node here: ${shortType(type)}`);
    return this.#bounded(withGates(withOptions(convert(conversion), conversion), node, forward));
  }

  /** Counts what something becomes. Returns false if there is no room for it. */
  #hasRoom(nodes: readonly NodeDefinition[]): boolean {
    const size = JSON.stringify(nodes).length;
    if (size > MAX_CONVERTED || this.#converted + size > MAX_CONVERTED_IN_ALL) return false;
    this.#converted += size;
    return true;
  }

  /** @throws UnsupportedError if there is no room for the nodes. */
  #bounded<T extends Pick<Converted, 'nodes'>>(converted: T): T {
    return this.#hasRoom(converted.nodes) ? converted : unsupported('it would become too long here');
  }

  /** Edges from all nodes that lead to one, for a stub that has no other way. */
  #plainJoin(incoming: readonly N8nConnection[]): Join {
    const ways = incoming
      .filter(({ source, output }) => this.#done.get(source)?.outputs[output] !== undefined)
      .map((each) => this.#wayOf(each))
      .filter(({ output }) => output.problem !== OTHER_PART);
    return {
      inputs: [],
      nodes: [],
      edgesTo: (entry) => ways.map(({ output }) => edgeFrom(output, entry)),
      isRepeated: false,
    };
  }

  /** Joins all ways into a node. @throws UnsupportedError */
  #join(node: N8nNode, id: string, incoming: readonly N8nConnection[], route: Route): Join {
    const { name, type, parameters } = node;
    if (this.#graph.cyclic.has(name)) return unsupported('it is in a cycle: use Loop Over Items');
    const stray = this.#graph.stray.find(({ target }) => target === name);
    if (stray) return unsupported(`"${stray.source}" leads to it from outside the body of its loop, which is left out`);
    if (incoming.length > MAX_INCOMING) return unsupported(`more than ${MAX_INCOMING} connections lead to it`);
    if (isTrigger(type)) return { inputs: [], nodes: [], edgesTo: () => [], isRepeated: false };
    if (incoming.length === 0) return unsupported('no node leads to it, so it never runs; a stub keeps the original');
    const isMerge = JOINS.has(shortType(type));
    const count = isMerge ? mergeInputs(parameters) : 1;
    const beyond = incoming.find(({ input }) => input >= count);
    if (beyond) return unsupported(`"${beyond.source}" leads to its input ${beyond.input + 1}, which does not exist`);
    const inputs = Array.from({ length: count }, (_, index) => {
      const ways = incoming.filter(({ input }) => input === index).map((each) => this.#wayOf(each));
      if (ways.length === 0) return unsupported(`nothing leads to its input ${index + 1}`);
      const problem = ways.find(({ output }) => output.problem !== undefined)?.output.problem;
      return problem === undefined ? ways : unsupported(problem);
    });
    const join = this.#bounded(joinWays({ id, name }, inputs, { route, isMerge }));
    if (join.isRepeated) {
      const part = this.#after(name);
      const leadsOut = [...part].some((each) => this.#backOf(each).some(({ target }) => !part.has(target)));
      if (leadsOut) return unsupported('n8n runs it once for each of several branches, here it would run once');
      this.#parts.set(`${BRANCHES_INTO}${name}`, part);
    }
    const cycle = this.#graph.cycles.get(name);
    return cycle ? this.#repeat({ id, name }, cycle, join) : join;
  }

  /** Returns a node and those after it that no other node leads to. */
  #after(name: string): Set<string> {
    const found = new Set([name]);
    for (const { name: next } of this.#graph.order) {
      const into = this.#graph.into(next);
      if (into.length > 0 && into.every(({ source }) => found.has(source))) found.add(next);
    }
    return found;
  }

  /** The first node of a cycle gets what comes in, and then what comes back. */
  #repeat(first: First, { members, again }: Cycle, join: Join): Join {
    const [entry] = join.inputs;
    if (!entry) return join;
    this.#shapes.set(first.name, entry.shape);
    const loop = loopOf(first);
    const start = `${first.id}__start`;
    const ways = { back: again.length, out: this.#leadingOut(members).size };
    // In the loop, `$loop` is another one.
    const isFromLoop = entry.text.includes('$loop');
    const fields = { data: braced(entry.text) };
    const kept: NodeDefinition[] = isFromLoop
      ? [{ id: start, type: 'set', name: `${first.name}: start`, parameters: { fields } }]
      : [];
    this.#bounded({ nodes: kept });
    return {
      ...join,
      inputs: [inputOfCycle(first, isFromLoop ? `$nodes.${start}.output.data` : entry.text, entry, ways)],
      nodes: [...join.nodes, ...kept],
      edgesTo: (target) => [
        ...join.edgesTo(isFromLoop ? start : loop),
        ...(isFromLoop ? [{ source: start, target: loop }] : []),
        { source: loop, sourceHandle: 'body', target },
      ],
    };
  }

  /** Returns what comes by a connection. */
  #wayOf(connection: N8nConnection): Way {
    const { source, output, target } = connection;
    const left = this.#partsWith(source).filter((part) => this.#parts.get(part)?.has(target) === false);
    const isOther = left.some((part) => part.startsWith(BRANCHES_INTO));
    const exit = this.#exits.get(portOf(source, output));
    if (exit && left.length > 0 && !isOther) return { from: source, output: exit.output, route: exit.route };
    const done = this.#done.get(source);
    const found = done?.outputs[output];
    const route = new Map(done?.route);
    if (found?.handle !== undefined && found.handle !== 'done') route.set(found.nodeId, new Set([found.handle]));
    // A Switch has as many outputs as rules; others may have outputs that are not converted.
    if (done && !found && this.#isSwitch(source)) this.unused.add(connection);
    const missing: Output = {
      nodeId: this.#idOf(source),
      source: { text: 'undefined', shape: 'one' },
      problem: `"${source}" has no output ${output + 1} here`,
    };
    return { from: source, output: { ...(found ?? missing), ...(isOther && { problem: OTHER_PART }) }, route };
  }

  /** Returns the nodes that have items at the same positions, for a node that gets them. */
  #pairsAt(name: string, { shape, pairs = UNPAIRED }: Source): Pairs {
    if (pairs.loop === undefined) return shape === 'list' ? pairs : UNPAIRED;
    // In a loop within it, `$loop` has other positions.
    const [part, ...others] = this.#partsWith(name);
    return part === pairs.loop && others.length === 0 ? pairs : UNPAIRED;
  }

  #isSwitch(name: string): boolean {
    return this.#workflow.nodes.some((each) => each.name === name && shortType(each.type) === 'switch');
  }

  /** Returns the connections from a node back to the beginning of its loop or cycle. */
  #backOf(name: string): readonly N8nConnection[] {
    return this.#back.get(name) ?? [];
  }

  /** Returns the parts that a node is in. */
  #partsWith(name: string): string[] {
    return [...this.#parts].filter(([, members]) => members.has(name)).map(([part]) => part);
  }

  /** Returns a connection for each output that leads out of a cycle. */
  #leadingOut(members: ReadonlySet<string>): Map<string, N8nConnection> {
    const all = [...members].flatMap((each) => [
      ...this.#graph.outOf(each),
      ...this.#graph.back.filter(({ source }) => source === each),
    ]);
    const out = all.filter(({ target }) => !members.has(target));
    return new Map(out.map((each) => [portOf(each.source, each.output), each]));
  }

  /** Once all nodes of a cycle are converted, it becomes a loop. */
  #endCycles(last: string): void {
    for (const [name, { members, again }] of this.#graph.cycles) {
      if (!members.has(last) || [...members].some((each) => !this.#done.has(each))) continue;
      const ports = [...this.#leadingOut(members)];
      const back = again.map((each) => this.#wayOf(each));
      const outWays = ports.map(([, each]) => this.#wayOf(each));
      const first = { id: this.#idOf(name), name };
      const shape = this.#shapes.get(name);
      const isUsable = [...back, ...outWays].every(({ output }) => output.problem === undefined);
      const mayEnd = [...members].some((each) => this.#mayEndAt(each));
      const repeat = isUsable && shape ? repeatCycle(first, { back, out: outWays, shape, mayEnd }) : undefined;
      if (!repeat || !this.#hasRoom(repeat.nodes)) {
        this.refusedCycles.add(name);
        continue;
      }
      const node = this.#workflow.nodes.find((each) => each.name === name);
      this.#nodes.push(...(node ? repeat.nodes.map((each, index) => place(each, node, index)) : repeat.nodes));
      this.#edges.push(...repeat.edges);
      for (const [index, exit] of repeat.exits.entries()) {
        const route = new Map(this.#done.get(name)?.route);
        if (exit.choice) route.set(exit.choice[0], new Set([exit.choice[1]]));
        this.#exits.set(ports[index]?.[0] ?? '', { ...exit, route });
      }
      const nodeIds = repeat.nodes.map(({ id }) => id);
      this.#amend(name, 'the cycle that begins here fails after 10,000 rounds, in n8n it goes on', nodeIds);
      if (repeat.isGathered) {
        this.#amend(name, 'items that leave the cycle in different rounds go on together, in n8n after each round');
      }
      if (repeat.isForOne) this.#amend(name, 'the run fails if several items go back to it at once');
    }
  }

  /** Returns the data of a node that always ran before another, if it can be read there. */
  #dataOf(name: string, from: string, before: ReadonlySet<string>, route: Route): Source | undefined {
    const done = this.#done.get(name);
    if (!done || !before.has(name)) return undefined;
    const left = this.#fromCycle(name, from, route);
    if (left) return left;
    const isSure = isWithin(route, done.route);
    const body = this.#graph.loops.get(name);
    const inside = body?.members.has(from) === true;
    const output = done.outputs.find(({ handle }) => !inside || handle === 'body');
    if (!output || output.problem !== undefined) return undefined;
    const around = this.#partsWith(from);
    // What is in a loop can be read in its body alone, and `$loop` is the innermost.
    if (this.#partsWith(name).some((part) => !around.includes(part))) return undefined;
    const loopsAround = inside ? [...this.#partsWith(name), name] : this.#partsWith(name);
    if (output.source.text.includes('$loop') && loopsAround.length !== around.length) return undefined;
    // Without its node, data of its own is missing, and the expression fails as in n8n.
    const isOwn = output.handle === undefined && output.source.text.startsWith(`$nodes.${output.nodeId}.output`);
    if (!isSure && !isOwn) return undefined;
    return isSure ? output.source : { ...output.source, hasRun: `(${optional(output.source.text)} !== undefined)` };
  }

  /** Returns the data of a node of a cycle, for a node after the cycle: that of the last iteration, if it ran there. */
  #fromCycle(name: string, from: string, route: Route): Source | undefined {
    const around = this.#partsWith(from);
    const [part, ...others] = this.#partsWith(name).filter((each) => !around.includes(each));
    const cycle = [...this.#graph.cycles.keys()].find((each) => cycleAt(each) === part);
    if (cycle === undefined || others.length > 0) return undefined;
    const members = this.#graph.cycles.get(cycle)?.members;
    const exit = [...this.#exits.values()].find((each) => members?.has(each.way.from) && isWithin(route, each.route));
    const done = this.#done.get(name);
    const output = done?.outputs[0];
    if (!exit || !done || !output || output.problem !== undefined) return undefined;
    if (!isWithin(exit.way.route, done.route)) return undefined;
    return exit.keep(this.#idOf(name), output.source);
  }

  #stub(node: N8nNode, id: string, reason: string, review: (message: string) => void): Converted {
    const count = Math.max(1, ...this.#graph.outOf(node.name).map(({ output }) => output + 1));
    const { node: stub, missing } = stubOf(id, node.original, reason, this.#attachments.of(node.name));
    if (missing > 0) review(`the original is too long for the stub: keep it elsewhere, ${missing} characters are cut`);
    const outputs = Array.from({ length: count }, (): Output => ({
      nodeId: id,
      source: {
        text: `$nodes.${id}.output`,
        shape: 'one',
        guess: node.name,
        files: `$nodes.${id}.output?.binary`,
        filesOf: node.name,
      },
    }));
    if (!isTrigger(node.type)) return { nodes: [stub], edges: [], outputs };
    // A run needs a trigger to start from.
    const trigger: NodeDefinition = { id: `${id}__trigger`, type: 'trigger.manual', name: node.name };
    return { nodes: [trigger, stub], edges: [{ source: trigger.id, target: id }], outputs };
  }

  /** Returns the stub of a node that is disabled: it passes its input on, as in n8n. Undefined for other nodes. */
  #disabled(node: N8nNode, stub: Converted, { inputs }: Join, hasAllInputs: boolean): Converted | undefined {
    const [input] = inputs;
    const [first] = stub.nodes;
    if (!node.isDisabled || !input || !first || this.#graph.loops.has(node.name)) return undefined;
    const outputs = [passedOn(first.id, { input, inputs, hasAllInputs })];
    const connected = new Set(this.#graph.outOf(node.name).map(({ output }) => output));
    return withGates({ nodes: [{ ...first, disabled: true }], edges: [], outputs }, node, connected);
  }

  /** Returns whether a run that comes by a route comes by all connections. */
  #hasAll(incoming: readonly N8nConnection[], route: Route): boolean {
    return incoming.every((each) => isWithin(route, this.#wayOf(each).route));
  }

  /** Once the body of a loop is converted, what the loop returns is known. */
  #noteLoops(last: string): void {
    for (const [name, { members, output }] of this.#graph.loops) {
      const loop = this.#done.get(name);
      const isComplete = members.has(last) && [...members].every((each) => this.#done.has(each));
      if (!isComplete || !loop || loop.outputs.length < 2) continue;
      const leadsOn = (each: string): boolean =>
        [...this.#graph.outOf(each), ...this.#backOf(each)].some(({ target }) => members.has(target));
      const ends = [...members].filter((each) => !leadsOn(each));
      const ways = this.#graph.back.filter(({ target }) => target === name);
      const [way] = ways;
      const isSingle = ways.length === 1 && ends.length === 1 && way?.source === ends[0];
      const end = isSingle && way ? this.#wayOf(way).output : undefined;
      const endsEarly = [...members].some((each) => this.#mayEndAt(each));
      if (endsEarly) {
        this.#amend(name, 'if an iteration returns no items, n8n ends the loop and the run there; here it goes on');
      }
      const outputs = loop.outputs.map((each, index) => {
        if (index === output) return each;
        const problem = 'what a loop returns in which an iteration may return no items, where n8n ends the run';
        return endsEarly ? { ...each, problem } : afterLoop(each, end);
      });
      this.#done.set(name, { ...loop, outputs });
    }
  }

  /** Returns whether items may get no further than a node, although it leads on. */
  #mayEndAt(name: string): boolean {
    const leading = [...this.#graph.outOf(name), ...this.#backOf(name)];
    const connected = new Set(leading.map(({ output }) => output));
    const outputs = this.#done.get(name)?.outputs ?? [];
    return connected.size > 0 && outputs.some(({ mayBeEmpty }, index) => mayBeEmpty === true || !connected.has(index));
  }

  /** Triggers whose run returns the data of the last node get a Terminal node after it. */
  #returnLast(): void {
    const ended = new Set<string>();
    for (const { name, type, parameters } of this.#workflow.nodes) {
      const isCalled = shortType(type) === 'executeWorkflowTrigger';
      if (!isCalled && (shortType(type) !== 'webhook' || parameters.responseMode !== 'lastNode')) continue;
      const leaves = [...this.#done].filter(
        ([each, { before }]) => before.has(name) && this.#graph.outOf(each).length === 0,
      );
      const [leaf] = leaves;
      const output = leaf?.[1].outputs[0];
      const isKnown = leaves.length === 1 && output?.problem === undefined && !ended.has(leaf?.[0] ?? '');
      const isRepeated =
        leaf !== undefined && [...this.#parts.keys()].some((part) => this.#isRepeatedIn(part, leaf[0]));
      if (!leaf || !isKnown || !output || isRepeated || output.source.text.includes('$loop')) {
        const what = isCalled ? 'the run returns the items of the last node' : 'the response is that of the last node';
        this.#amend(name, `${what} in n8n: add a Terminal node`);
        continue;
      }
      ended.add(leaf[0]);
      const id = `${this.#idOf(name)}__response`;
      const body = `{{ ${isCalled ? asList(output.source) : firstItem(output.source)} }}`;
      const before = this.#nodes.find((node) => node.id === output.nodeId)?.position;
      const position = before && { position: { x: before.x + COLUMN, y: before.y } };
      this.#nodes.push({ id, type: 'terminal', name: `${name}: response`, parameters: { body }, ...position });
      this.#edges.push({
        source: output.nodeId,
        target: id,
        ...(output.handle !== undefined && { sourceHandle: output.handle }),
      });
    }
  }

  /** Whether a node is in a part that is in a loop only here. */
  #isRepeatedIn(part: string, name: string): boolean {
    return !this.#graph.loops.has(part) && this.#parts.get(part)?.has(name) === true;
  }

  #amend(name: string, message: string, nodeIds: readonly string[] = []): void {
    const index = this.#notes.findIndex(({ node }) => node === name);
    const note = this.#notes[index];
    if (!note) return;
    const level = note.level === 'converted' ? 'review' : note.level;
    const ids = [...note.nodeIds, ...nodeIds];
    this.#notes[index] = { ...note, level, nodeIds: ids, messages: [...note.messages, message] };
  }

  #note(node: N8nNode, level: ImportLevel, nodeIds: readonly string[], messages: readonly string[]): void {
    this.#notes.push({ node: node.name, type: node.type, level, nodeIds, messages });
  }
}

/**
 * Returns why a node cannot be converted. What it becomes may be no valid expression, or too deep to be parsed: that
 * concerns this node alone, too.
 */
function reasonOf(error: unknown): string {
  if (error instanceof UnsupportedError) return error.message;
  if (error instanceof SyntaxError || error instanceof RangeError) {
    return `it would become an expression that is not valid here: ${error.message}`;
  }
  throw error;
}

function timezoneOf({ timezone }: JsonObject): string | undefined {
  return typeof timezone === 'string' && timezone !== '' && timezone !== 'DEFAULT' ? timezone : undefined;
}

function mergeInputs({ numberInputs }: JsonObject): number {
  // n8n has at most ten.
  return typeof numberInputs === 'number' ? Math.min(Math.max(numberInputs, 2), 10) : 2;
}

function unique(edges: readonly EdgeDefinition[]): EdgeDefinition[] {
  return [...new Map(edges.map((edge) => [JSON.stringify(edge), edge])).values()];
}

/** What n8n knows about a node and has no place here. */
function remarksOn({ original }: N8nNode): string[] {
  const note = text(original.notes);
  return [...(note === undefined ? [] : [`has a note: ${note}`])];
}

/** Nodes are where they were, further ones below, before all of them are moved apart. */
function place(node: NodeDefinition, { original }: N8nNode, index: number): NodeDefinition {
  const [x, y] = isList(original.position) ? original.position : [];
  if (typeof x !== 'number' || typeof y !== 'number') return node;
  return { ...node, name: node.name?.slice(0, 200), position: { x, y: y + index * 110 } };
}
