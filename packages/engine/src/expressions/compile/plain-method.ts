import { fail } from '../failure.ts';
import { methods } from '../functions/methods.ts';
import type { MethodTable, PlainMethod } from '../functions/definition.ts';
import type { Run } from '../run.ts';
import { isList, kindOf, type Value } from '../value.ts';

/** A method that is selected by the type of its receiver. */
type Apply = (run: Run, target: Value, args: readonly Value[]) => Value;

function plainOf<Self>(table: MethodTable<Self>, name: string): PlainMethod<Self>['apply'] | undefined {
  const method = table.get(name);
  return method?.kind === 'plain' ? method.apply : undefined;
}

/** Returns the method `name` for every type that has it; undefined if no type has it. */
export function resolvePlain(name: string): Apply | undefined {
  const ofText = plainOf(methods.string, name);
  const ofNumber = plainOf(methods.number, name);
  const ofBoolean = plainOf(methods.boolean, name);
  const ofList = plainOf(methods.array, name);
  const ofRecord = plainOf(methods.object, name);
  const ofDate = plainOf(methods.date, name);
  const exists = [ofText, ofNumber, ofBoolean, ofList, ofRecord, ofDate].some((apply) => apply !== undefined);
  if (!exists) return undefined;
  return (run, target, args) => {
    if (typeof target === 'string' && ofText) return ofText(run, target, args);
    if (typeof target === 'number' && ofNumber) return ofNumber(run, target, args);
    if (typeof target === 'boolean' && ofBoolean) return ofBoolean(run, target, args);
    if (typeof target !== 'object' || target === null) return failMissing(target, name);
    if (isList(target)) return ofList ? ofList(run, target, args) : failMissing(target, name);
    if (target instanceof Date) return ofDate ? ofDate(run, target, args) : failMissing(target, name);
    return ofRecord ? ofRecord(run, target, args) : failMissing(target, name);
  };
}

function failMissing(target: Value, name: string): never {
  const hint = typeof target === 'string' && methods.date.has(name) ? '; date(...) makes a date of it' : '';
  return fail(`${kindOf(target)} has no method "${name}"${hint}`);
}
