import type { EventPayload } from '@deckhand/contracts';
import { parseOwnJson } from '@deckhand/contracts';
import { type Echo, echoOf, serve } from './serve.ts';

/** An event as it was received. */
export interface ReceivedEvent extends Echo {
  readonly id: string;
  readonly payload: EventPayload;
}

/** A response to an event; `delayMs` before it is sent. */
export interface EventAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Resolves when the response may be sent. */
  readonly after?: Promise<unknown>;
}

/** A receiver of events. */
export interface EventReceiver {
  readonly url: string;
  readonly events: readonly ReceivedEvent[];
  /** Returns the received events of a run, in the order of their arrival, by type. */
  typesOf(executionId: string): string[];
}

/** Starts a receiver. @param answer what it responds to an event; 204 by default. */
export async function startEventReceiver(
  answer: (event: ReceivedEvent) => EventAnswer = () => ({ status: 204 }),
): Promise<EventReceiver> {
  const events: ReceivedEvent[] = [];
  const { url } = await serve((request, response) => {
    void echoOf(request).then(async (echo) => {
      const event = { ...echo, id: String(echo.headers['webhook-id']), payload: parseOwnJson<EventPayload>(echo.body) };
      events.push(event);
      const { status, headers = {}, body = '', after } = answer(event);
      await after;
      response.writeHead(status, { ...headers }).end(body);
    });
  });
  return {
    url: `${url}/events`,
    events,
    typesOf: (executionId) =>
      events.flatMap(({ payload }) => (payload.data.executionId === executionId ? [payload.type] : [])),
  };
}
