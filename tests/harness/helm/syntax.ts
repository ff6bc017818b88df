/** A part of a template: the subset of Go's text/template that charts here are written in. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly pipeline: Pipeline }
  | { readonly kind: 'assign'; readonly name: string; readonly pipeline: Pipeline }
  | { readonly kind: 'if' | 'with'; readonly pipeline: Pipeline; readonly body: Part[]; readonly otherwise: Part[] }
  | {
      readonly kind: 'range';
      /** `$value`, or `$key` and `$value`, or none. */
      readonly names: readonly string[];
      readonly pipeline: Pipeline;
      readonly body: Part[];
      readonly otherwise: Part[];
    }
  | { readonly kind: 'define'; readonly name: string; readonly body: Part[] };

/** Commands; the result of each is the last argument of the next. */
export type Pipeline = readonly Command[];

/** A function with its arguments, or one operand. */
export type Command = readonly Operand[];

/** What stands in a command. `path` are the fields that are read of it. */
export type Operand =
  | { readonly kind: 'literal'; readonly value: string | bigint | boolean }
  | { readonly kind: 'function'; readonly name: string }
  | { readonly kind: 'dot'; readonly path: readonly string[] }
  | { readonly kind: 'variable'; readonly name: string; readonly path: readonly string[] }
  | { readonly kind: 'group'; readonly pipeline: Pipeline; readonly path: readonly string[] };

/** A template that is not in the subset, or faulty. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}
