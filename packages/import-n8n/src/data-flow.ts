import type { EdgeDefinition, JsonObject, NodeDefinition } from '@deckhand/contracts';
import type { Cycle } from './cycles.ts';
import { braced } from './expressions/template.ts';
import type { Graph } from './graph.ts';
import { commonRoute, isWithin, MAX_WAYS, type Route } from './routes.ts';
import { edgeFrom, type Join, joinWays, type Way } from './joins.ts';
import type { Output } from './nodes/converter.ts';
import { type Gathered, loopResult } from './nodes/loop.ts';
import { isTrigger } from './nodes/registry.ts';
import { UNPAIRED } from './pairs.ts';
import { type Exit, type First, inputOfCycle, loopOf, type Repeat, repeatCycle } from './repeat.ts';
import { optional, type Pairs, type Source } from './source.ts';
import { unlessUnsupported, unsupported } from './unsupported.ts';
import { type N8nConnection, type N8nNode, shortType } from './workflow.ts';

/** What is known of a node that was converted. */
export interface Done {
  readonly outputs: readonly Output[];
  readonly route: Route;
  /** The nodes that lead to it. */
  readonly before: ReadonlySet<string>;
}

/** A loop whose body is converted. */
export interface EndedLoop {
  readonly name: string;
  /** What is different in n8n. */
  readonly messages: readonly string[];
  /** Nodes that gather what it returns. */
  readonly nodes: readonly NodeDefinition[];
  readonly edges: readonly EdgeDefinition[];
}

/** What a flow of data is made of. */
export interface FlowParts {
  readonly graph: Graph;
  /** Returns the id of a node here, by its name in n8n. */
  readonly idOf: (name: string) => string;
  /** Counts what nodes become. Returns false if there is no room for it. */
  readonly hasRoom: (nodes: readonly NodeDefinition[]) => boolean;
}

/** Why data of a part that is repeated here cannot be used outside. */
const OTHER_PART = 'it gets data of nodes that run once for each of several branches';
/** Why a node that several branches lead to cannot be repeated for each of them. */
const RUNS_ONCE = 'n8n runs it once for each of several branches, here it would run once';
const ENDS_EARLY = 'if an iteration returns no items, n8n ends the loop and the run there; here it goes on';
const RUNS_FIRST = 'nothing leads back to it, so that it runs for its first batch alone in n8n; here it runs for all';
/** Beginning of the names of parts that run once for each of several branches. */
const BRANCHES_INTO = 'branches into ';
/** In routes, what names the trigger that started the run. */
const STARTED_BY = '';
/** Types with several inputs. */
const JOINS = new Set(['merge', 'compareDatasets']);

/** Returns the name of the part of a cycle. */
function cycleAt(name: string): string {
  return `cycle at ${name}`;
}

function portOf(name: string, output: number): string {
  return `${output} ${name}`;
}

/** The data of the nodes that were converted, and how it comes to those after them: by branches, loops and cycles. */
export class DataFlow {
  /** The nodes that were converted, by their names. */
  readonly done: ReadonlyMap<string, Done>;
  /** Cycles that cannot be repeated, by their first node. */
  readonly refusedCycles = new Set<string>();
  /** Connections of outputs that their node does not have. */
  readonly unused = new Set<N8nConnection>();
  readonly #graph: Graph;
  readonly #idOf: FlowParts['idOf'];
  readonly #hasRoom: FlowParts['hasRoom'];
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

  constructor({ graph, idOf, hasRoom }: FlowParts) {
    this.done = this.#done;
    this.#graph = graph;
    this.#idOf = idOf;
    this.#hasRoom = hasRoom;
    const again = [...graph.cycles.values()].flatMap((cycle) => cycle.again);
    this.#back = Map.groupBy([...graph.back, ...again], ({ source }) => source);
    this.#parts = new Map([
      ...[...graph.loops].map(([name, { members }]) => [name, members] as const),
      ...[...graph.cycles].map(([name, { members }]) => [cycleAt(name), members] as const),
    ]);
  }

  /** Adds a node that was converted. */
  add(name: string, done: Done): void {
    this.#done.set(name, done);
    const choices = done.outputs.filter(({ handle }) => handle !== undefined);
    const [first] = choices;
    const isOne = first && choices.every(({ nodeId, mayBeEmpty }) => nodeId === first.nodeId && mayBeEmpty !== true);
    const handles = choices.flatMap(({ handle }) => handle ?? []);
    if (isOne && handles.length > 1) this.#handles.set(first.nodeId, new Set(handles));
  }

  /** Returns which outputs a run has taken that comes to a node. */
  routeTo({ name, type }: N8nNode): Route {
    if (isTrigger(type)) return new Map([[STARTED_BY, new Set([this.#idOf(name)])]]);
    return commonRoute(
      this.#graph.into(name).map((each) => this.wayOf(each).route),
      (each) => this.#handles.get(each),
    );
  }

  /** Returns edges from all nodes that lead to one, for a stub that has no other way. */
  plainJoin(name: string): Join {
    const ways = this.#graph
      .into(name)
      .filter(({ source, output }) => this.#done.get(source)?.outputs[output] !== undefined)
      .map((each) => this.wayOf(each))
      .filter(({ output }) => output.problem !== OTHER_PART);
    return {
      inputs: [],
      nodes: [],
      edgesTo: (entry) => ways.map(({ output }) => edgeFrom(output, entry)),
      isRepeated: false,
    };
  }

  /** Joins all ways into a node that a run comes to by a route. @throws UnsupportedError */
  join({ name, type, parameters }: N8nNode, route: Route): Join {
    const incoming = this.#graph.into(name);
    if (this.#graph.cyclic.has(name)) return unsupported('it is in a cycle: use Loop Over Items');
    const stray = this.#graph.stray.find(({ target }) => target === name);
    if (stray) return unsupported(`"${stray.source}" leads to it from outside the body of its loop, which is left out`);
    if (incoming.length > MAX_WAYS) return unsupported(`more than ${MAX_WAYS} connections lead to it`);
    if (isTrigger(type)) return { inputs: [], nodes: [], edgesTo: () => [], isRepeated: false };
    if (incoming.length === 0) return unsupported('no node leads to it, so it never runs; a stub keeps the original');
    const isMerge = JOINS.has(shortType(type));
    const count = isMerge ? mergeInputs(parameters) : 1;
    const beyond = incoming.find(({ input }) => input >= count);
    if (beyond && (!isMerge || incoming.every(({ input }) => input >= count))) {
      return unsupported(`"${beyond.source}" leads to its input ${beyond.input + 1}, which does not exist`);
    }
    const inputs = Array.from({ length: count }, (_, index) => {
      const ways = incoming.filter(({ input }) => input === index).map((each) => this.wayOf(each));
      const problem = ways.find(({ output }) => output.problem !== undefined)?.output.problem;
      return problem === undefined ? ways : unsupported(problem);
    });
    const first = { id: this.#idOf(name), name };
    const join = joinWays(first, inputs, { route, isMerge });
    this.#bound(join.nodes);
    if (join.isRepeated) {
      const part = this.#after(name);
      const leadsOut = [...part].some((each) => this.backOf(each).some(({ target }) => !part.has(target)));
      if (leadsOut) return unsupported(RUNS_ONCE);
      this.#parts.set(`${BRANCHES_INTO}${name}`, part);
    }
    const cycle = this.#graph.cycles.get(name);
    return cycle ? this.#repeat(first, cycle, join) : join;
  }

  /** Returns the connections to inputs of a Merge that it does not have: n8n leaves out what comes there. */
  beyondInputs({ name, type, parameters }: N8nNode): readonly N8nConnection[] {
    const count = mergeInputs(parameters);
    return JOINS.has(shortType(type)) ? this.#graph.into(name).filter(({ input }) => input >= count) : [];
  }

  /** Returns whether a run that comes to a node by a route comes by all its connections. */
  hasAll(name: string, route: Route): boolean {
    return this.#graph.into(name).every((each) => isWithin(route, this.wayOf(each).route));
  }

  /** Returns what comes by a connection. */
  wayOf(connection: N8nConnection): Way {
    const { source, output, target } = connection;
    const left = this.partsWith(source).filter((part) => this.#parts.get(part)?.has(target) === false);
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

  /** Returns the connections from a node back to the beginning of its loop or cycle. */
  backOf(name: string): readonly N8nConnection[] {
    return this.#back.get(name) ?? [];
  }

  /** Returns the parts that a node is in. */
  partsWith(name: string): string[] {
    return [...this.#parts].filter(([, members]) => members.has(name)).map(([part]) => part);
  }

  /** Returns whether a node is in a part that is in a loop only here. */
  isRepeatedHere(name: string): boolean {
    return this.partsWith(name).some((part) => !this.#graph.loops.has(part));
  }

  /** Returns the nodes that have items at the same positions, for a node that gets them. */
  pairsAt(name: string, { shape, pairs = UNPAIRED }: Source): Pairs {
    if (pairs.loop === undefined) return shape === 'list' || pairs.origin ? pairs : UNPAIRED;
    // In a loop within it, `$loop` has other positions.
    const [part, ...others] = this.partsWith(name);
    return part === pairs.loop && others.length === 0 ? pairs : UNPAIRED;
  }

  /** Returns the data of a node that ran before another, `from`, if it can be read there. */
  dataOf(name: string, from: string, before: ReadonlySet<string>, route: Route): Source | undefined {
    const done = this.#done.get(name);
    if (!done || !before.has(name)) return undefined;
    const left = this.#fromCycle(name, from, route);
    if (left) return left;
    const isSure = isWithin(route, done.route);
    const body = this.#graph.loops.get(name);
    const inside = body?.members.has(from) === true;
    const output = done.outputs.find(({ handle }) => !inside || handle === 'body');
    if (!output || output.problem !== undefined) return undefined;
    const around = this.partsWith(from);
    // What is in a loop can be read in its body alone, and `$loop` is the innermost.
    if (this.partsWith(name).some((part) => !around.includes(part))) return undefined;
    const loopsAround = inside ? [...this.partsWith(name), name] : this.partsWith(name);
    if (output.source.text.includes('$loop') && loopsAround.length !== around.length) return undefined;
    // Without its node, data of its own is missing, and the expression fails as in n8n.
    const isOwn = output.handle === undefined && output.source.text.startsWith(`$nodes.${output.nodeId}.output`);
    if (!isSure && !isOwn) return undefined;
    return isSure ? output.source : { ...output.source, hasRun: `(${optional(output.source.text)} !== undefined)` };
  }

  /**
   * Ends the cycles whose nodes are all converted now, with the last of them.
   * @returns what each becomes, by the name of its first node.
   */
  endCycles(last: string): ReadonlyMap<string, Repeat> {
    const ended = new Map<string, Repeat>();
    for (const [name, { members, again }] of this.#graph.cycles) {
      if (!members.has(last) || [...members].some((each) => !this.#done.has(each))) continue;
      const ports = [...this.#leadingOut(members)];
      const back = again.map((each) => this.wayOf(each));
      const out = ports.map(([, each]) => this.wayOf(each));
      const shape = this.#shapes.get(name);
      const isUsable = [...back, ...out].every(({ output }) => output.problem === undefined);
      const mayEnd = [...members].some((each) => this.#mayEndAt(each));
      const first = { id: this.#idOf(name), name };
      const repeat =
        isUsable && shape ? unlessUnsupported(() => repeatCycle(first, { back, out, shape, mayEnd })) : undefined;
      if (!repeat || !this.#hasRoom(repeat.nodes)) {
        this.refusedCycles.add(name);
        continue;
      }
      for (const [index, exit] of repeat.exits.entries()) {
        const route = new Map(this.#done.get(name)?.route);
        if (exit.choice) route.set(exit.choice[0], new Set([exit.choice[1]]));
        this.#exits.set(ports[index]?.[0] ?? '', { ...exit, route });
      }
      ended.set(name, repeat);
    }
    return ended;
  }

  /** Completes the loops whose bodies are converted now, with the last of their nodes: what they return is known. */
  endLoops(last: string): readonly EndedLoop[] {
    const ended: EndedLoop[] = [];
    for (const [name, { members, output }] of this.#graph.loops) {
      const loop = this.#done.get(name);
      const isComplete = members.has(last) && [...members].every((each) => this.#done.has(each));
      if (!isComplete || !loop || loop.outputs.length < 2) continue;
      const back = this.#graph.back.filter(({ target }) => target === name);
      const isBack = (each: string): boolean => back.some(({ source }) => source === each);
      const leadsOn = (each: string): boolean => this.#leadingFrom(each).some(({ target }) => members.has(target));
      const ends = [...members].filter((each) => !leadsOn(each));
      const mayEnd = !ends.every(isBack) || [...members].some((each) => this.#mayEndAt(each));
      const isUsed = this.#graph.outOf(name).some((each) => each.output !== output);
      const isSimple = back.length === 1 && ends.length === 1 && !mayEnd;
      const gathered: Gathered[] = [];
      const outputs = loop.outputs.map((done, index) => {
        if (index === output) return done;
        const ways = back.map((each) => this.wayOf(each));
        const result = loopResult(name, done, ways, { isSimple, isUsed });
        if ('problem' in result) return { ...done, problem: result.problem };
        if (!this.#hasRoom(result.nodes)) return { ...done, problem: 'what a loop returns, which is too much here' };
        gathered.push(result);
        return result.output;
      });
      this.#done.set(name, { ...loop, outputs });
      const isOnce = back.length === 0;
      const messages = isOnce ? [RUNS_FIRST] : mayEnd ? [ENDS_EARLY] : [];
      const [nodes, edges] = [gathered.flatMap((each) => each.nodes), gathered.flatMap((each) => each.edges)];
      ended.push({ name, messages, nodes, edges });
    }
    return ended;
  }

  /** @throws UnsupportedError if there is no room for the nodes. */
  #bound(nodes: readonly NodeDefinition[]): void {
    if (!this.#hasRoom(nodes)) unsupported('it would become too long here');
  }

  /** Returns the connections from a node, also those back. */
  #leadingFrom(name: string): N8nConnection[] {
    return [...this.#graph.outOf(name), ...this.backOf(name)];
  }

  #isSwitch(name: string): boolean {
    return this.#graph.order.some((each) => each.name === name && shortType(each.type) === 'switch');
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
    this.#bound(kept);
    return {
      ...join,
      inputs: [inputOfCycle(first, isFromLoop ? `$nodes.${start}.output.data` : entry.text, entry, ways)],
      nodes: [...join.nodes, ...kept],
      edgesTo: (target): EdgeDefinition[] => [
        ...join.edgesTo(isFromLoop ? start : loop),
        ...(isFromLoop ? [{ source: start, target: loop }] : []),
        { source: loop, sourceHandle: 'body', target },
      ],
    };
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

  /** Returns the data of a node of a cycle, for a node after the cycle: that of the last iteration, if it ran there. */
  #fromCycle(name: string, from: string, route: Route): Source | undefined {
    const around = this.partsWith(from);
    const [part, ...others] = this.partsWith(name).filter((each) => !around.includes(each));
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

  /** Returns whether items may get no further than a node, although it leads on. */
  #mayEndAt(name: string): boolean {
    const connected = new Set(this.#leadingFrom(name).map(({ output }) => output));
    const outputs = this.#done.get(name)?.outputs ?? [];
    return connected.size > 0 && outputs.some(({ mayBeEmpty }, index) => mayBeEmpty === true || !connected.has(index));
  }
}

function mergeInputs({ numberInputs }: JsonObject): number {
  // n8n has at most ten.
  return typeof numberInputs === 'number' ? Math.min(Math.max(numberInputs, 2), 10) : 2;
}
