import Type, { type Static } from 'typebox';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { AnyObject, nullable, oneOf } from './common.ts';
import { CREDENTIAL_TYPES } from './credential-secrets.ts';

/**
 * What a container does with the nodes after its output `body`: a loop repeats them, a try catches their failures, an
 * agent calls them as the tools of a language model.
 */
export const CONTAINERS = ['loop', 'try', 'agent'] as const;
export type ContainerKind = (typeof CONTAINERS)[number];

/** How the outputs of a node follow from one of its parameters. */
const HandlesBy = Type.Object({
  parameter: Type.String({ description: 'The parameter, which is a list' }),
  member: nullable(Type.String(), {
    description: 'The member with the name of the output, in a list of objects; null in a list of names',
  }),
  fixed: Type.Array(Type.String(), { description: 'The outputs after them' }),
});
export type HandlesBy = Static<typeof HandlesBy>;

/** The icons of node types: names of the Lucide set. The console has these, and no others. */
export const NODE_ICONS = [
  'arrow-down-narrow-wide',
  'bell',
  'bot',
  'braces',
  'calculator',
  'calendar-clock',
  'calendar-days',
  'circle-stop',
  'clock',
  'cloud',
  'code-xml',
  'credit-card',
  'database',
  'file',
  'file-code',
  'filter',
  'flag',
  'folder',
  'git-fork',
  'git-merge',
  'globe',
  'hash',
  'hourglass',
  'image',
  'key-round',
  'link',
  'list-checks',
  'lock',
  'lock-open',
  'mail',
  'map-pin',
  'message-square',
  'pen-line',
  'phone',
  'play',
  'repeat',
  'reply',
  'scissors',
  'search',
  'send',
  'server',
  'shield-check',
  'shopping-cart',
  'sigma',
  'signature',
  'sparkles',
  'split',
  'stamp',
  'table',
  'tag',
  'terminal',
  'user-round',
  'users',
  'webhook',
  'workflow',
  'wrench',
  'zap',
] as const;
export type NodeIcon = (typeof NODE_ICONS)[number];

/** Inputs of forms that a parameter's schema does not imply. */
export const FORM_INPUTS = ['code', 'cron', 'expression', 'form', 'group', 'workflow'] as const;
export type FormInput = (typeof FORM_INPUTS)[number];

/** Panels that the console shows above the form of a node. */
export const FORM_PANELS = ['webhook'] as const;
export type FormPanel = (typeof FORM_PANELS)[number];

/** A line that sums up a node by its parameters. */
const SummaryLine = Type.Object({
  text: Type.String({
    description:
      'Names of parameters in braces become their values. `{name?}` may be absent, and `{name|word}` is the word then; without any other value, the line is not for this node',
  }),
  when: Type.Optional(
    Type.Record(Type.String(), Type.Unsafe<JsonValue>({}), {
      description: 'Values of parameters without which the line is not for this node',
    }),
  ),
  each: Type.Optional(
    Type.String({ description: 'A parameter that is a list: `text` is for each of its objects, with their members' }),
  ),
  join: Type.Optional(Type.String({ description: 'The word between the objects of `each`; a comma by default' })),
});
export type SummaryLine = Static<typeof SummaryLine>;

/** How the form of a node differs from the one that the schema of its parameters implies. */
const NodeFormEntry = Type.Object({
  inputs: Type.Record(Type.String(), Type.String(), {
    description: `Inputs by the name of their parameter: ${FORM_INPUTS.join(', ')}`,
  }),
  shownFor: Type.Record(Type.String(), Type.Record(Type.String(), Type.Array(Type.String())), {
    description:
      'Parameters that are shown only while another one has one of these values, or they have one themselves',
  }),
  panel: nullable(Type.String(), { description: `A panel above the form: ${FORM_PANELS.join(', ')}` }),
});

/** The same, with the names that there are. */
export interface NodeForm {
  readonly inputs: Readonly<Record<string, FormInput>>;
  /** Values of other parameters, by their names, by the parameter that is shown. */
  readonly shownFor: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  readonly panel: FormPanel | null;
}

/** A node type as GET /api/node-types lists it, for forms and agents. */
export const NodeTypeEntry = Type.Object({
  type: Type.String(),
  title: Type.String(),
  description: Type.String(),
  keywords: Type.Array(Type.String(), { description: 'Words to search it by, beside those of its title' }),
  category: Type.String(),
  icon: Type.String({ description: 'A name of the Lucide set' }),
  summary: Type.Array(SummaryLine, {
    description: 'Lines that sum up a node by its parameters; the first one that is for it counts',
  }),
  hasEffects: Type.Boolean({ description: 'Whether it has effects outside; it has none in sandbox mode' }),
  isTrigger: Type.Boolean(),
  handles: Type.Array(Type.String(), { description: 'Outputs that edges can name' }),
  handlesBy: nullable(HandlesBy, {
    description: 'The parameter that replaces `handles` by its own names where it is a list; null if none does',
  }),
  undecidedHandle: nullable(Type.String(), {
    description:
      'The output that a node with several takes while it is disabled, or after an error with `onError: "continue"`; null if it takes none',
  }),
  container: nullable(oneOf(CONTAINERS), {
    description:
      'What it does with the nodes after its output `body`: `loop` repeats them, `try` catches their failures, `agent` calls them as tools of a language model. null if it contains none',
  }),
  credentialTypes: Type.Array(oneOf(CREDENTIAL_TYPES), {
    description: 'Types of credentials that `credentialId` may name; empty if it uses no credential',
  }),
  errors: Type.Array(Type.String(), {
    description:
      'Codes of failures that only some types of nodes have, this one among them; /docs/errors of the instance explains them, and those of every node',
  }),
  parameters: Type.Unsafe<JsonObject>({ ...AnyObject, description: 'A JSON Schema' }),
  form: NodeFormEntry,
  outputSchema: nullable(Type.Unsafe<JsonObject>({ ...AnyObject }), {
    description: 'A JSON Schema of its output, if its members are always the same; otherwise null',
  }),
  outputMembersOf: nullable(Type.String(), {
    description:
      'The parameter whose members the output has, such as `fields` or `schema.properties`; null if there is none',
  }),
});

export type NodeTypeEntry = Static<typeof NodeTypeEntry>;

/** Returns the named outputs of a node with these parameters, each once; empty for a single one without a name. */
export function handlesFor(
  { handles, handlesBy }: { readonly handles: readonly string[]; readonly handlesBy: HandlesBy | null },
  parameters: JsonObject,
): readonly string[] {
  const given: unknown = handlesBy && parameters[handlesBy.parameter];
  if (!handlesBy || !Array.isArray(given)) return handles;
  const list: readonly unknown[] = given;
  const { member, fixed } = handlesBy;
  const names = list.flatMap((element): string[] => {
    const name = member === null ? element : isJsonObject(element) ? element[member] : undefined;
    return typeof name === 'string' && name !== '' ? [name] : [];
  });
  return [...new Set([...names, ...fixed])];
}
