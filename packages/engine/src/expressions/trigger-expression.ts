import { type CompiledTemplate, compileTemplate } from './template.ts';

/** Names that the template of a key may use. */
export const KEY_NAMES: readonly string[] = ['$trigger', '$now'];

/**
 * Compiles a text with expressions that are evaluated before there is a run.
 * @param names what they may use.
 */
export function compileTriggerExpression(
  text: string,
  names: readonly string[] = ['$trigger'],
): { readonly template: CompiledTemplate } | { readonly message: string } {
  const compiled = compileTemplate(text);
  if ('issue' in compiled) return { message: `${compiled.issue.message} (at character ${compiled.issue.offset + 1})` };
  const used = compiled.template.references;
  const unknown = used.nodes.length > 0 ? '$nodes' : [...used.names].find((name) => !names.includes(name));
  if (unknown !== undefined) {
    return { message: `is evaluated before a run starts: it can use ${names.join(' and ')}, not ${unknown}` };
  }
  return { template: compiled.template };
}
