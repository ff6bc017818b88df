/** An error response of the API, with its message. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The caller: a session's token, an API key, or none. */
export type Caller = { readonly token: string } | { readonly apiKey: string } | undefined;

/** Calls the API at one address. */
export interface ApiClient {
  readonly url: string;
  /** @throws ApiError for every status of 400 or more. */
  call<T>(caller: Caller, method: 'GET' | 'POST', path: string, body?: object): Promise<T>;
}

/** Returns a client of the API at `url`. It trusts that responses match the contract. */
export function createApiClient(url: string): ApiClient {
  return {
    url,
    async call<T>(caller: Caller, method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { ...credentials(caller), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new ApiError(response.status, `${method} ${path} answered ${response.status}: ${text}`);
      return JSON.parse(text) as T;
    },
  };
}

function credentials(caller: Caller): Record<string, string> {
  if (caller === undefined) return {};
  return 'token' in caller ? { authorization: `Bearer ${caller.token}` } : { 'x-api-key': caller.apiKey };
}
