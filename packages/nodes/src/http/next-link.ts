/**
 * Returns the target of the first link with the relation `next` in a `link` header (RFC 8288); undefined if there is
 * none. Takes time in proportion to the header.
 */
export function nextLink(header: string): string | undefined {
  let at = 0;
  for (;;) {
    const open = header.indexOf('<', at);
    const close = header.indexOf('>', open);
    if (open === -1 || close === -1) return undefined;
    const parameters = readParameters(header, close + 1);
    if (parameters.rel?.toLowerCase().split(/\s+/).includes('next') === true) return header.slice(open + 1, close);
    at = parameters.end;
  }
}

/** Reads `; name=value; name="value"` up to the comma before the next link. */
function readParameters(header: string, from: number): { rel: string | undefined; end: number } {
  let rel: string | undefined;
  let end = from;
  let text = '';
  let isQuoted = false;
  const take = (): void => {
    const [name = '', value = ''] = text.split('=', 2);
    if (name.trim().toLowerCase() === 'rel') rel ??= value.trim();
    text = '';
  };
  for (; end < header.length; end += 1) {
    const character = header.charAt(end);
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && character === ',') break;
    else if (!isQuoted && character === ';') take();
    else text += character;
  }
  take();
  return { rel, end };
}
