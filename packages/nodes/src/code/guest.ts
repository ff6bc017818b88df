import { NAMES } from './function-text.ts';
import { INTL_STUBS } from './intl-guest.ts';

/**
 * The code that runs in the sandbox: it calls the script's function and reports the result to the host. It runs beside
 * the script, which may have changed all globals that it uses. So the host trusts none of it, and accepts only text.
 * `tell(kind, text, stack)`: `output` with JSON, or `error` with a message. `print(line)`: undefined if the console
 * output is not needed. `loadIntl()`: see intl-guest.ts.
 */
export const GUEST = `(function (tell, print, loadIntl) {
  'use strict';
  ${INTL_STUBS}(loadIntl);
  const { parse, stringify } = JSON;
  const NativeError = Error;

  const messageOf = (thrown) => {
    if (!(thrown instanceof NativeError)) return typeof thrown === 'string' ? thrown : show(thrown);
    const message = String(thrown.message);
    return thrown.name === 'Error' ? message : String(thrown.name) + ': ' + message;
  };

  const show = (value) => {
    if (typeof value === 'string') return value;
    try {
      if (value instanceof NativeError) return messageOf(value);
      if (typeof value === 'object' && value !== null) return String(stringify(value));
      return typeof value === 'bigint' ? value + 'n' : String(value);
    } catch (error) {
      return '[a value that cannot be shown]';
    }
  };

  const write = (prefix) => (...values) => {
    if (!print) return;
    let line = prefix;
    for (let i = 0; i < values.length && line.length < 5000; i += 1) line += (i > 0 ? ' ' : '') + show(values[i]);
    print(line);
  };
  globalThis.console = {
    log: write(''), info: write(''), debug: write(''), warn: write('warn: '), error: write('error: '),
  };

  const outputOf = (value) => {
    if (typeof value === 'function' || typeof value === 'symbol') {
      throw new NativeError('the script returned a ' + typeof value + ', which is not JSON');
    }
    let text;
    try {
      text = stringify(value);
    } catch (error) {
      const reason = typeof value === 'bigint' ? 'a BigInt is none' : messageOf(error);
      throw new NativeError('what the script returned is not JSON: ' + reason);
    }
    return text === undefined ? 'null' : text;
  };

  return async (script, namesText) => {
    try {
      const names = parse(namesText);
      tell('output', outputOf(await script(${NAMES.map((name) => `names.${name}`).join(', ')})), '');
    } catch (thrown) {
      // Without memory for an error, the engine throws null.
      let message = 'the script threw what cannot be read';
      let stack = '';
      try {
        message = thrown === null ? 'null was thrown, by the script or for want of memory' : messageOf(thrown);
        stack = String(thrown.stack);
      } catch (error) {}
      tell('error', message, stack);
    }
  };
})`;
