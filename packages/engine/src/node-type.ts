import {
  compileCheck,
  compileNullRemoval,
  handlesFor,
  type HandlesBy,
  type ContainerKind,
  isJsonObject,
  type CredentialType,
  type NodeForm,
  type NodeErrorCode,
  type NodeIcon,
  type SummaryLine,
  type ValidationIssue,
  type WarningCode,
  type JsonObject,
  type JsonValue,
} from '@deckhand/contracts';
import type { Static, TObject } from 'typebox';
import type { AgentCall, AgentTurn, CallEnd } from './agent.ts';
import type { ExpressionName } from './expressions/index.ts';
import type { NodeContext } from './node-context.ts';
import type { NodeExample } from './node-example.ts';
import { mockOutcome, NodeError, type Outcome, output, type WaitAnswer, type WaitRequest } from './outcome.ts';
import type { SourceReferences } from './script.ts';

/**
 * What a node type says about its steps. Answers and results of calls are stored in the records of steps, from which a
 * run resumes: what follows from them is a function of them alone.
 */
export interface AgentSteps {
  /** Asks the model, and returns its answer as an output. @throws NodeError */
  readonly ask: (parameters: JsonValue, context: NodeContext) => Outcome | Promise<Outcome>;
  /** Asks a person about the call in the context: returns a wait. @throws NodeError */
  readonly question: (parameters: JsonValue, context: NodeContext) => Outcome;
  /** Converts the answer to a question to an output, by the handle `approved` if the call is made. @throws NodeError */
  readonly decided: (answer: WaitAnswer, wait: WaitRequest) => Outcome;
  /** Returns the calls that an answer asks for; undefined if it was the last one. */
  readonly callsOf: (answer: JsonValue) => readonly AgentCall[] | undefined;
  /** Returns what the model is told of a call. */
  readonly tell: (end: CallEnd) => JsonValue;
  /** Returns the nodes that parameters describe as tools, before evaluation, and where. Expressions are left out. */
  readonly named: (parameters: JsonObject) => readonly { readonly path: string; readonly nodeId: string }[];
  /** Returns the output of the node. The last turn has no calls. */
  readonly outputOf: (turns: readonly AgentTurn[]) => JsonValue;
}

/**
 * How a node joins its incoming edges before all of them are settled: it starts once `count` of them are taken. With
 * `cancelsRest`, what only leads to it, and is not finished by then, is cancelled.
 */
export interface EarlyJoin {
  readonly count: number;
  readonly cancelsRest: boolean;
}

/** The credentials that nodes of a type can use. */
export interface CredentialUse {
  readonly types: readonly CredentialType[];
  /** The types of which one is required with these parameters (before evaluation); empty if none is required. */
  readonly needed?: (parameters: JsonObject) => readonly CredentialType[];
}

/** A parameter that is evaluated while its node runs. */
export interface DeferredParameter {
  readonly path: string;
  /** Names that its expressions may use, in addition to those of other parameters. */
  readonly names: readonly ExpressionName[];
}

/** What a node type warns of in the parameters of a node, in which the path is. */
export interface NodeWarning {
  readonly code: WarningCode;
  readonly path: string;
  /** A sentence. Never contains a secret. */
  readonly message: string;
  /** What to do about it, if the catalog of warnings does not say it well enough. */
  readonly remedy?: string;
}

/** Why settings of a node do not do what they say, for warnings when a version is saved. */
export interface SettingNotes {
  readonly retry?: string;
  readonly timeoutSeconds?: string;
}

type Category = 'trigger' | 'data' | 'flow' | 'action' | 'person';

/** The icons of types without one of their own. */
const CATEGORY_ICONS: Readonly<Record<Category, NodeIcon>> = {
  trigger: 'bell',
  data: 'braces',
  flow: 'git-fork',
  action: 'globe',
  person: 'user-round',
};

/** The specification of a node type: one file that exports one of these through `defineNodeType`. */
export interface NodeTypeSpec<S extends TObject> {
  /** Its name in definitions: `http`, `trigger.manual`. */
  readonly type: string;
  readonly title: string;
  /** One or two sentences for people, shown in its page and in the picker of nodes. */
  readonly description: string;
  /** Words that people may search it by and that its title does not have, in lower case, the best ones first. */
  readonly keywords?: readonly string[];
  readonly category: Category;
  /** Its icon; that of its category by default. */
  readonly icon?: NodeIcon;
  /** A line that sums up a node by its parameters, or several, of which the first one counts that is for the node. */
  readonly summary?: string | readonly SummaryLine[];
  /**
   * Whether it has effects outside. Such a node starts only when the checkpoint before it is on disk; one without
   * effects simply runs again after a crash.
   */
  readonly hasEffects: boolean;
  /** Whether its output is the result of the run, also that of a mock. */
  readonly setsResult?: boolean;
  /** JSON Schema of its parameters, after expressions are evaluated. */
  readonly parameters: S;
  /**
   * Inputs of its form that the schema does not imply, by parameter; parameters that are shown only while others have
   * certain values; and the panel above it.
   */
  readonly form?: Partial<NodeForm>;
  /** JSON Schema of its output, if its members are always the same. */
  readonly outputSchema?: TObject;
  /** The parameter whose members its output has, such as `fields` or `schema.properties`. */
  readonly outputMembersOf?: string;
  /** Its outputs if it has several. Without any, it has a single output without a name. */
  readonly handles?: readonly string[];
  /** The parameter that names its outputs where it is a list; `handles` are those of a node without it. */
  readonly handlesBy?: HandlesBy;
  /** What it does with the nodes after its output `body`; undefined if it contains none. */
  readonly container?: ContainerKind;
  /** The steps of an agent. Needed by the container `agent`, and by no other. */
  readonly agent?: Omit<AgentSteps, 'ask' | 'question'> & {
    readonly ask: (parameters: Static<S>, context: NodeContext) => Promise<Outcome>;
    readonly question: (parameters: Static<S>, context: NodeContext) => Outcome;
  };
  /**
   * The output that a node with several outputs takes when it has decided nothing: when it is disabled, or failed with
   * `onError: "continue"`. Without one, each output is a choice, and the node then takes none.
   */
  readonly undecidedHandle?: string;
  /** Its early join with these parameters (before evaluation); undefined if it waits for all edges. */
  readonly join?: (parameters: JsonObject) => EarlyJoin | undefined;
  /** The issues that the schema can't express, found when a version is saved. Sees parameters before evaluation. */
  readonly check?: (parameters: JsonObject) => readonly ValidationIssue[];
  /** Parts of valid parameters that may be unintended, for warnings when a version is saved. */
  readonly warn?: (parameters: JsonObject) => readonly NodeWarning[];
  /** The parameter that is a condition: it decides by whether its value counts as true. */
  readonly condition?: keyof Static<S> & string;
  /** Whether each of its nodes fails the run, unless the node handles that. */
  readonly alwaysFails?: boolean;
  /** What `retry` and `timeoutSeconds` of a node do not do with these parameters; a type without it honours both. */
  readonly unheeded?: (parameters: JsonObject) => SettingNotes;
  /** Parameters whose text is used verbatim, including `{{`: a source in a language of its own. */
  readonly verbatim?: readonly string[];
  /**
   * The parameter that is not evaluated with the others but while the node runs, such as a loop's condition: a path
   * with dots. The node gets its parameters without it, so the schema does not require it.
   */
  readonly deferred?: DeferredParameter;
  /**
   * Returns the data of the run that those read. Called once, when a version is compiled, with parameters that have no
   * issue.
   */
  readonly references?: (parameters: JsonObject) => SourceReferences;
  /** Credentials that `credentialId` may name; undefined means none. */
  readonly credential?: CredentialUse;
  /** Whether its nodes take locks, which are given to others at the end of the run. */
  readonly takesLocks?: boolean;
  /** The parameter with the maximum time that the node rests, in seconds. */
  readonly restSeconds?: keyof Static<S> & string;
  /**
   * Does the work. It may return at once; if it returns a promise, the engine continues with other branches meanwhile.
   */
  readonly run: (parameters: Static<S>, context: NodeContext) => Outcome | Promise<Outcome>;
  /** Converts the answer to the node's wait to its outcome. Needed if `run` may wait. */
  readonly resume?: (answer: WaitAnswer, wait: WaitRequest, context: NodeContext) => Outcome;
  /** Codes of its own failures, beside those of every node and of credentials: its page explains them. */
  readonly errors?: readonly NodeErrorCode[];
  /** A sample output of the right shape, for sandbox mode. Needed if `hasEffects`. */
  readonly sample?: (parameters: Static<S>) => JsonValue;
  /** A workflow that shows how it is used. Built-in types have one. */
  readonly example?: NodeExample;
}

/** A node type as the engine uses it: parameters are checked before every run. */
export interface NodeType {
  readonly type: string;
  readonly title: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly category: Category;
  readonly icon: NodeIcon;
  readonly summary: readonly SummaryLine[];
  readonly hasEffects: boolean;
  readonly isTrigger: boolean;
  readonly setsResult: boolean;
  readonly parameters: TObject;
  readonly form: NodeForm;
  readonly outputSchema: TObject | undefined;
  readonly outputMembersOf: string | undefined;
  readonly handles: readonly string[];
  readonly handlesBy: HandlesBy | null;
  readonly container: ContainerKind | undefined;
  readonly agent: AgentSteps | undefined;
  readonly undecidedHandle: string | undefined;
  readonly join: ((parameters: JsonObject) => EarlyJoin | undefined) | undefined;
  readonly check: ((parameters: JsonObject) => readonly ValidationIssue[]) | undefined;
  readonly warn: ((parameters: JsonObject) => readonly NodeWarning[]) | undefined;
  readonly condition: string | undefined;
  readonly alwaysFails: boolean;
  readonly unheeded: ((parameters: JsonObject) => SettingNotes) | undefined;
  readonly verbatim: readonly string[];
  readonly credential: CredentialUse | undefined;
  readonly takesLocks: boolean;
  readonly restSeconds: string | undefined;
  readonly deferred: DeferredParameter | undefined;
  readonly references: ((parameters: JsonObject) => SourceReferences) | undefined;
  /** Returns parameters of a definition without optional ones that are null; the same object if there are none. */
  readonly withoutNulls: (parameters: JsonObject) => JsonObject;
  /** Returns the issues of evaluated parameters. */
  readonly validate: (parameters: JsonValue) => readonly ValidationIssue[];
  readonly resume: ((answer: WaitAnswer, wait: WaitRequest, context: NodeContext) => Outcome) | undefined;
  /** Runs with evaluated parameters. @throws NodeError PARAMETERS_INVALID naming the first issue. */
  readonly run: (parameters: JsonValue, context: NodeContext) => Outcome | Promise<Outcome>;
  readonly errors: readonly NodeErrorCode[];
  readonly example: NodeExample | undefined;
}

/** The registry: node types by name. */
export type NodeTypes = ReadonlyMap<string, NodeType>;

/** Creates a node type from a specification: compiles its schema, and replaces effects in sandbox mode. */
export function defineNodeType<S extends TObject>(spec: NodeTypeSpec<S>): NodeType {
  const check = compileCheck(spec.parameters);
  const removeNulls = compileNullRemoval(spec.parameters);
  const { sample, handles = [], handlesBy = null, agent } = spec;
  const checked = (parameters: JsonValue): Static<S> => {
    const result = check(parameters);
    if ('issues' in result) throw invalidParameters(result.issues);
    return result.value;
  };
  return {
    type: spec.type,
    title: spec.title,
    description: spec.description,
    keywords: spec.keywords ?? [],
    category: spec.category,
    icon: spec.icon ?? CATEGORY_ICONS[spec.category],
    summary: typeof spec.summary === 'string' ? [{ text: spec.summary }] : (spec.summary ?? []),
    hasEffects: spec.hasEffects,
    isTrigger: spec.category === 'trigger',
    setsResult: spec.setsResult ?? false,
    parameters: spec.parameters,
    form: { inputs: {}, shownFor: {}, panel: null, ...spec.form },
    outputSchema: spec.outputSchema,
    outputMembersOf: spec.outputMembersOf,
    handles,
    handlesBy,
    container: spec.container,
    agent: agent && {
      ...agent,
      ask: (parameters, context) => agent.ask(checked(parameters), context),
      question: (parameters, context) => agent.question(checked(parameters), context),
    },
    undecidedHandle: spec.undecidedHandle,
    join: spec.join,
    check: spec.check,
    warn: spec.warn,
    condition: spec.condition,
    alwaysFails: spec.alwaysFails ?? false,
    unheeded: spec.unheeded,
    verbatim: spec.verbatim ?? [],
    credential: spec.credential,
    takesLocks: spec.takesLocks ?? false,
    restSeconds: spec.restSeconds,
    deferred: spec.deferred,
    references: spec.references,
    resume: spec.resume,
    errors: spec.errors ?? [],
    example: spec.example,
    withoutNulls(parameters) {
      const rest = removeNulls ? removeNulls(parameters) : parameters;
      return isJsonObject(rest) ? rest : parameters;
    },
    validate(parameters) {
      const result = check(parameters);
      return 'issues' in result ? result.issues : [];
    },
    run(parameters, context) {
      const value = checked(parameters);
      if (context.mode !== 'sandbox') return spec.run(value, context);
      const { mock } = context;
      // No model is asked, so no tool is called.
      if (agent && sample) return { kind: 'output', output: mock ?? sample(value), handle: spec.undecidedHandle };
      if (mock === undefined) return sample ? output(sample(value)) : spec.run(value, context);
      if (handles.length === 0 && !handlesBy) return mockOutcome(spec, mock);
      // Nodes that wait read the mock themselves: it says which of their outputs is taken.
      if (spec.resume) return spec.run(value, context);
      const outcome = spec.run(value, context);
      const last = isJsonObject(parameters) ? handlesFor({ handles, handlesBy }, parameters).at(-1) : undefined;
      return outcome instanceof Promise
        ? outcome.then((done) => mocked(done, mock, last))
        : mocked(outcome, mock, last);
    },
  };
}

/**
 * Returns the outcome of a node with several outputs that has a mock: an `if` or `switch` chooses its output as usual,
 * and a loop or try does not run its body.
 */
function mocked(outcome: Outcome, mock: JsonValue, last: string | undefined): Outcome {
  switch (outcome.kind) {
    case 'output':
      return { ...outcome, output: mock };
    case 'loop':
    case 'repeat':
    case 'try':
      return { kind: 'output', output: mock, handle: last };
    default:
      return outcome;
  }
}

function invalidParameters(issues: readonly ValidationIssue[]): NodeError {
  const text = issues.map(({ path, message }) => `parameters${path ? `.${path}` : ''} ${message}`).join('; ');
  return new NodeError('PARAMETERS_INVALID', text, { isRetryable: false });
}
