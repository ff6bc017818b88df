import type { HttpRequest } from '@deckhand/engine';

/** The cookies of one chain of redirects, which end with it. */
export interface ChainCookies {
  /** Keeps the cookies of a response. Invalid ones, and those for other hosts, are left out (RFC 6265, 5.3). */
  keep(setCookies: readonly string[], url: string): Promise<void>;
  /** Returns the headers of a request with the cookies for its URL, which replace others of the same names. */
  addTo(request: HttpRequest): Promise<HttpRequest['headers']>;
}

/** Creates an empty jar. */
export async function createChainCookies(): Promise<ChainCookies> {
  // Loaded on first use: most redirects set no cookies.
  const { CookieJar } = await import('tough-cookie');
  const jar = new CookieJar();
  return {
    async keep(setCookies, url) {
      for (const cookie of setCookies) await jar.setCookie(cookie, url, { ignoreError: true });
    },
    async addTo({ url, headers }) {
      const kept = await jar.getCookieString(url);
      if (kept === '') return headers;
      const names = new Set(kept.split('; ').map(nameOf));
      const given = (headers.cookie ?? '').split(/; */).filter((pair) => pair !== '' && !names.has(nameOf(pair)));
      return { ...headers, cookie: [...given, kept].join('; ') };
    },
  };
}

function nameOf(pair: string): string {
  const [name = ''] = pair.split('=', 1);
  return name;
}
