import type { ObjectExpression, Property } from 'acorn';
import { toText } from '../convert.ts';
import { containerBytes, memberBytes } from '../limits.ts';
import { checkedKey, isForbiddenKey, ownKeys, readProperty } from '../property.ts';
import { spendBytes, spendSteps, type Run } from '../run.ts';
import { isList, type Value } from '../value.ts';
import { refuse, type Compiler, type Evaluate } from './compiler.ts';

type Target = Record<string, Value>;

/** Writes one entry of an object literal. */
type Write = (run: Run, target: Target) => void;

/** Compiles an object literal. Methods, getters and setters are issues, as are forbidden keys. */
export function compileObject(compiler: Compiler, node: ObjectExpression): Evaluate {
  const writes = node.properties.map((property) =>
    property.type === 'SpreadElement'
      ? spread(compiler.compile(property.argument), property.start)
      : compileProperty(compiler, property),
  );
  const bytes = containerBytes + writes.length * memberBytes;
  return (run) => {
    run.at = node.start;
    spendBytes(run, bytes);
    const target: Target = {};
    for (const write of writes) write(run, target);
    return target;
  };
}

function compileProperty(compiler: Compiler, property: Property): Write {
  if (property.kind !== 'init' || property.method)
    return refuse(property, 'an object can hold data only, no functions');
  const key = literalKey(property);
  if (key === undefined)
    return computed(compiler.compile(property.key), compiler.compile(property.value), property.key.start);
  if (isForbiddenKey(key)) return refuse(property.key, `the property "${key}" cannot be used`);
  const value = compiler.compile(property.value);
  return (run, target) => {
    target[key] = value(run);
  };
}

function literalKey({ computed: isComputed, key }: Property): string | undefined {
  if (key.type === 'Literal') return String(key.value);
  return !isComputed && key.type === 'Identifier' ? key.name : undefined;
}

function computed(key: Evaluate, value: Evaluate, at: number): Write {
  return (run, target) => {
    const name = toText(run, key(run));
    run.at = at;
    target[checkedKey(name)] = value(run);
  };
}

function spread(source: Evaluate, at: number): Write {
  return (run, target) => {
    const value = source(run);
    run.at = at;
    if (typeof value === 'string' || (value !== undefined && isList(value))) charge(run, value.length);
    const keys = ownKeys(value);
    charge(run, keys.length);
    for (const key of keys) target[key] = readProperty(value, key);
  };
}

function charge(run: Run, members: number): void {
  spendSteps(run, members);
  spendBytes(run, members * memberBytes);
}
