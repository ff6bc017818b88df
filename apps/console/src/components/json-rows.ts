import { isJsonObject, type JsonValue } from '@deckhand/contracts';

/** A line of a JSON tree. */
export interface JsonRow {
  /** Its path as an expression; "" for the whole value. */
  readonly path: string;
  /** Its name or index in its parent; undefined for the whole value. */
  readonly label: string | undefined;
  readonly value: JsonValue;
  readonly depth: number;
  /** Number of members; undefined for a plain value. */
  readonly size: number | undefined;
}

/** Returns the visible lines while the members at `open` are expanded. */
export function toRows(value: JsonValue, open: ReadonlySet<string>): JsonRow[] {
  const rows: JsonRow[] = [];
  const add = (path: string, label: string | undefined, member: JsonValue, depth: number): void => {
    rows.push({ path, label, value: member, depth, size: sizeOf(member) });
    if (open.has(path)) {
      for (const [key, inner] of membersOf(member)) add(pathTo(path, key, member), String(key), inner, depth + 1);
    }
  };
  add('', undefined, value, 0);
  return rows;
}

/** Maximum number of lines that are expanded initially. */
const MAX_FIRST_LINES = 60;

/** Returns the paths to expand initially: level by level, up to a limit. */
export function unfoldSome(value: JsonValue): ReadonlySet<string> {
  const open = new Set<string>();
  let lines = 1;
  let level: (readonly [string, JsonValue])[] = [['', value]];
  while (level.length > 0) {
    const next: (readonly [string, JsonValue])[] = [];
    for (const [path, member] of level) {
      const size = sizeOf(member) ?? 0;
      if (size === 0 || lines + size > MAX_FIRST_LINES) continue;
      lines += size;
      open.add(path);
      for (const [key, inner] of membersOf(member)) next.push([pathTo(path, key, member), inner]);
    }
    level = next;
  }
  return open;
}

/** The hits of a search, and the paths to expand to see them. */
export interface Found {
  readonly hits: ReadonlySet<string>;
  readonly open: ReadonlySet<string>;
  /** There are more than those. */
  readonly isCut: boolean;
}

/** Maximum number of hits shown. */
const MAX_HITS = 500;

/** Finds the members whose name or value contains a text, case-insensitively. */
export function findInJson(value: JsonValue, text: string): Found {
  const hits = new Set<string>();
  const open = new Set<string>();
  const wanted = text.toLowerCase();
  const visit = (path: string, label: string, member: JsonValue): boolean => {
    if (hits.size >= MAX_HITS) return false;
    let isHit =
      label.toLowerCase().includes(wanted) || (isLeaf(member) && String(member).toLowerCase().includes(wanted));
    if (isHit) hits.add(path);
    for (const [key, inner] of membersOf(member)) {
      if (visit(pathTo(path, key, member), String(key), inner)) {
        open.add(path);
        isHit = true;
      }
    }
    return isHit;
  };
  visit('', '', value);
  return { hits, open, isCut: hits.size >= MAX_HITS };
}

/** Returns true for an empty object or list. */
export function isLeaf(value: JsonValue): value is string | number | boolean | null {
  return typeof value !== 'object' || value === null;
}

function membersOf(value: JsonValue): Iterable<[string | number, JsonValue]> {
  if (isJsonArray(value)) return value.entries();
  return isJsonObject(value) ? Object.entries(value) : [];
}

function sizeOf(value: JsonValue): number | undefined {
  if (isJsonArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : undefined;
}

function isJsonArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function pathTo(path: string, key: string | number, parent: JsonValue): string {
  return path + (Array.isArray(parent) ? `[${key}]` : memberPath(String(key)));
}

/** Returns how an expression reads a member: in brackets if its name is not an identifier. */
export function memberPath(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
