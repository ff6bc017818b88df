import { parsePipeline, tokenize } from './parse-pipeline.ts';
import { type Part, TemplateError } from './syntax.ts';

/** Parses a template. @throws TemplateError */
export function parseTemplate(source: string): Part[] {
  const pieces = split(source);
  const parts = parseParts(pieces, []);
  if (pieces.length > 0) throw new TemplateError(`{{ ${String(pieces[0]?.action)} }} ends nothing`);
  return parts;
}

/** Text between actions, or an action without its braces. */
type Piece = { readonly text: string; readonly action?: never } | { readonly action: string; readonly text?: never };

const ACTION = /\{\{(-(?=\s))?\s*([\s\S]*?)\s*((?<=\s)-)?\}\}/g;

/** Cuts a template at its actions; a dash beside a brace takes the white space before or after it away. */
function split(source: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  let trimsNext = false;
  const addText = (text: string, trimsEnd: boolean): void => {
    const begun = trimsNext ? text.trimStart() : text;
    const trimmed = trimsEnd ? begun.trimEnd() : begun;
    if (trimmed !== '') pieces.push({ text: trimmed });
  };
  for (const match of source.matchAll(ACTION)) {
    addText(source.slice(end, match.index), match[1] !== undefined);
    const action = match[2] ?? '';
    if (!/^\/\*[\s\S]*\*\/$/.test(action)) pieces.push({ action });
    trimsNext = match[3] !== undefined;
    end = match.index + match[0].length;
  }
  addText(source.slice(end), false);
  return pieces;
}

/** Takes parts off `pieces` until an action that begins with one of `ends`, which it leaves there. */
function parseParts(pieces: Piece[], ends: readonly string[]): Part[] {
  const parts: Part[] = [];
  for (let piece = pieces[0]; piece !== undefined; piece = pieces[0]) {
    if (piece.action !== undefined && ends.includes(keywordOf(piece.action))) return parts;
    if (['end', 'else'].includes(keywordOf(piece.action ?? ''))) return parts;
    pieces.shift();
    parts.push(piece.action === undefined ? { kind: 'text', text: piece.text } : parseAction(piece.action, pieces));
  }
  return parts;
}

function parseAction(action: string, pieces: Piece[]): Part {
  const keyword = keywordOf(action);
  const rest = action.slice(keyword.length).trim();
  if (keyword === 'if' || keyword === 'with') {
    return { kind: keyword, pipeline: parsePipeline(tokenize(rest)), ...parseBranches(pieces) };
  }
  if (keyword === 'range') {
    const match = /^((?:\$\w+\s*,\s*)?\$\w+)\s*:=\s*([\s\S]*)$/.exec(rest);
    const names = match?.[1]?.split(/\s*,\s*/) ?? [];
    return { kind: 'range', names, pipeline: parsePipeline(tokenize(match?.[2] ?? rest)), ...parseBranches(pieces) };
  }
  if (keyword === 'define') {
    const body = parseParts(pieces, ['end']);
    takeEnd(pieces);
    return { kind: 'define', name: JSON.parse(rest) as string, body };
  }
  const assignment = /^(\$\w+)\s*:=\s*([\s\S]*)$/.exec(action);
  if (assignment?.[1] !== undefined) {
    return { kind: 'assign', name: assignment[1], pipeline: parsePipeline(tokenize(assignment[2] ?? '')) };
  }
  return { kind: 'print', pipeline: parsePipeline(tokenize(action)) };
}

/** Up to and with the `end`; an `else if` is an `if` of its own that ends together with this one. */
function parseBranches(pieces: Piece[]): { body: Part[]; otherwise: Part[] } {
  const body = parseParts(pieces, ['else', 'end']);
  const next = pieces[0]?.action ?? '';
  if (keywordOf(next) !== 'else') {
    takeEnd(pieces);
    return { body, otherwise: [] };
  }
  pieces.shift();
  const rest = next.slice('else'.length).trim();
  if (rest !== '') return { body, otherwise: [parseAction(rest, pieces)] };
  const otherwise = parseParts(pieces, ['end']);
  takeEnd(pieces);
  return { body, otherwise };
}

function takeEnd(pieces: Piece[]): void {
  const piece = pieces.shift();
  if (piece?.action !== 'end') throw new TemplateError('an {{ end }} is missing');
}

/** The word that an action begins with, unless it is a function's name. */
function keywordOf(action: string): string {
  return /^(if|with|range|define|else|end)\b/.exec(action)?.[1] ?? '';
}
