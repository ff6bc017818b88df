/** One message of PostgreSQL's wire protocol: its type byte, and all of its bytes. */
export interface WireMessage {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Length of a message's type and length fields, in bytes. */
const HEADER_BYTES = 5;

/** The number in a CancelRequest in place of a protocol version. */
const CANCEL_REQUEST_CODE = 80_877_102;

/** Splits a byte stream into messages. `take` returns those that are complete; the rest waits for more bytes. */
export function createMessageReader(): { take(bytes: Buffer): WireMessage[] } {
  let rest: Buffer = Buffer.alloc(0);
  return {
    take(bytes) {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      const messages: WireMessage[] = [];
      let offset = 0;
      while (rest.length - offset >= HEADER_BYTES) {
        const end = offset + 1 + rest.readInt32BE(offset + 1);
        if (rest.length < end) break;
        messages.push({ type: String.fromCharCode(rest[offset] ?? 0), bytes: rest.subarray(offset, end) });
        offset = end;
      }
      rest = rest.subarray(offset);
      return messages;
    },
  };
}

/** The zero-terminated texts at the start of a message's body. */
export function textsOf({ bytes }: WireMessage, count: number): string[] {
  const texts: string[] = [];
  let offset = HEADER_BYTES;
  for (let n = 0; n < count; n += 1) {
    const end = bytes.indexOf(0, offset);
    texts.push(bytes.toString('utf8', offset, end));
    offset = end + 1;
  }
  return texts;
}

function message(type: string, body: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(type, 'latin1');
  header.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([header, body]);
}

/** A simple Query. */
export function queryMessage(sql: string): Buffer {
  return message('Q', Buffer.from(`${sql}\0`));
}

/** An ErrorResponse. */
export function errorMessage(severity: 'ERROR' | 'FATAL', sqlstate: string): Buffer {
  const fields = [`S${severity}`, `V${severity}`, `C${sqlstate}`, `Minjected fault ${sqlstate}`];
  return message('E', Buffer.from(`${fields.join('\0')}\0\0`));
}

/** A ReadyForQuery outside of transactions. */
export function idleMessage(): Buffer {
  return message('Z', Buffer.from('I'));
}

/** A CancelRequest: the 8 bytes that name the session are the body of its BackendKeyData. */
export function cancelRequest(backendKey: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.writeInt32BE(16, 0);
  header.writeInt32BE(CANCEL_REQUEST_CODE, 4);
  return Buffer.concat([header, backendKey]);
}

/** Whether a new connection's first bytes are a CancelRequest. */
export function isCancelRequest(bytes: Buffer): boolean {
  return bytes.length >= 8 && bytes.readInt32BE(4) === CANCEL_REQUEST_CODE;
}

/** Body of a message, without its type and length. */
export function bodyOf({ bytes }: WireMessage): Buffer {
  return bytes.subarray(HEADER_BYTES);
}

/**
 * Names a statement: by the comment that it begins with (`executions.checkpoint`), else by its verb, its table and the
 * first column that it sets (`update executions.status`), or by its verb alone (`begin`).
 */
export function statementName(sql: string): string {
  const named = /^\s*\/\* ([a-z-]+\.[a-z-]+) \*\//.exec(sql)?.[1];
  if (named !== undefined) return named;
  const verb = (/^\s*(\w+)/.exec(sql)?.[1] ?? 'empty').toLowerCase();
  if (/^(begin|commit|rollback|set|savepoint|release|deallocate)$/.test(verb)) return verb;
  const target =
    /\b(update|insert\s+into|delete\s+from)\s+(?:"\w+"\.)?"?(\w+)"?/i.exec(sql) ??
    /\b(from)\s+(?:"\w+"\.)?"?(\w+)"?/i.exec(sql);
  const action =
    (target?.[1] ?? '').toLowerCase() === 'from' ? verb : (target?.[1]?.split(/\s/)[0] ?? verb).toLowerCase();
  const table = target?.[2] ?? '';
  const column = action === 'update' ? /\bset\s+"?(\w+)"?/i.exec(sql)?.[1] : undefined;
  const lock = action === 'select' && /\bfor (update|share)\b/i.test(sql) ? ' for update' : '';
  return `${action} ${table}${column === undefined ? '' : `.${column}`}${lock}`;
}
