import type { Pattern } from '../pattern.ts';
import type { Run } from '../run.ts';
import type { Value } from '../value.ts';

/** An arrow function of an expression, or a conversion such as `Number` in its place. */
export type Callback = (run: Run, first: Value, second?: Value, third?: Value, fourth?: Value) => Value;

interface Described {
  /** Signature in TypeScript's notation. It begins with the name. */
  readonly signature: string;
  /** Description in one line. */
  readonly doc: string;
}

/** A global function, such as `Math.round`. */
export interface GlobalFunction extends Described {
  readonly apply: (run: Run, args: readonly Value[]) => Value;
}

/** A method whose arguments are values. */
export interface PlainMethod<Self> extends Described {
  readonly kind: 'plain';
  readonly apply: (run: Run, self: Self, args: readonly Value[]) => Value;
}

/** A method whose first argument is an arrow function. */
export interface CallbackMethod<Self> extends Described {
  readonly kind: 'callback';
  readonly apply: (run: Run, self: Self, callback: Callback, args: readonly Value[]) => Value;
  /** Used if the arrow function is omitted. If undefined, omitting it is an issue. */
  readonly applyBare: ((run: Run, self: Self) => Value) | undefined;
}

/** A method whose first argument is a text or a regular expression. */
export interface PatternMethod<Self> extends Described {
  readonly kind: 'pattern';
  readonly apply: (run: Run, self: Self, search: Pattern | string | undefined, args: readonly Value[]) => Value;
}

/** A method of one type. All methods with the same name are of the same kind, so that a call can be compiled. */
export type Method<Self> = PlainMethod<Self> | CallbackMethod<Self> | PatternMethod<Self>;

/** The methods of one type by name: a Map, because an object would inherit names such as `toString`. */
export type MethodTable<Self> = ReadonlyMap<string, Method<Self>>;

/** Defines a method whose arguments are values. */
export function plain<Self>(signature: string, doc: string, apply: PlainMethod<Self>['apply']): PlainMethod<Self> {
  return { kind: 'plain', signature, doc, apply };
}

/** Defines a method that takes an arrow function, which is optional where `applyBare` is given. */
export function withCallback<Self>(
  signature: string,
  doc: string,
  apply: CallbackMethod<Self>['apply'],
  applyBare?: CallbackMethod<Self>['applyBare'],
): CallbackMethod<Self> {
  return { kind: 'callback', signature, doc, apply, applyBare };
}

/** Defines a method that takes a text or a regular expression. */
export function withPattern<Self>(
  signature: string,
  doc: string,
  apply: PatternMethod<Self>['apply'],
): PatternMethod<Self> {
  return { kind: 'pattern', signature, doc, apply };
}

/** Returns a table of definitions by the names in their signatures. */
export function byName<Definition extends Described>(
  definitions: readonly Definition[],
): ReadonlyMap<string, Definition> {
  return new Map(definitions.map((definition) => [nameOf(definition), definition]));
}

/** Returns the name at the start of a signature: `Math.round` of `Math.round(x: number): number`. */
export function nameOf(definition: Described): string {
  return definition.signature.slice(0, definition.signature.indexOf('('));
}
