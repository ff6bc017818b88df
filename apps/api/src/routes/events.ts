import {
  compileBody,
  DeckhandError,
  isStorable,
  SendEventBody,
  SentEvent,
  validationFailed,
} from '@deckhand/contracts';
import { v7 as uuidv7 } from 'uuid';
import { readDataBody } from '../http/read-body.ts';
import { sendJson } from '../http/respond.ts';
import { forKey, type Route } from '../http/route.ts';
import { readKeyHeader } from '../http/read-request.ts';
import type { StartContext } from '../contexts.ts';

const parse = compileBody(SendEventBody);

/** POST /api/events */
export function sendEvent({ breaker, events }: StartContext): Route {
  return forKey(
    'POST',
    '/api/events',
    'events:write',
    {
      summary: 'Send an event',
      description:
        'Starts the workflows that have a trigger for the event, and wakes the runs that wait for it. The response says that the event is stored; it is matched right afterwards. An `Idempotency-Key` is the id of an event without one.',
      returns: 'The id of the event, which is stored',
      takesIdempotencyKey: true,
      body: SendEventBody,
      responses: { 202: SentEvent },
      errors: ['CONFLICT', 'PAYLOAD_TOO_LARGE', 'workspace_over_quota', 'RATE_LIMITED', 'write_circuit_open'],
    },
    async (request, response, caller) => {
      const body = parse(await readDataBody(request));
      // PostgreSQL would store another text: events with different ids or keys would count as one.
      const issues = (['id', 'key'] as const).flatMap((path) =>
        isStorable(body[path] ?? '') ? [] : [{ path, message: 'has a NUL character or half a surrogate pair' }],
      );
      if (issues.length > 0) throw validationFailed(issues);
      const workspaceId = body.workspaceId.toLowerCase();
      if (caller.boundTo !== null && caller.boundTo !== workspaceId) throw new DeckhandError('WORKSPACE_MISMATCH');
      const eventId = body.id ?? readKeyHeader(request) ?? uuidv7();
      const { isRepeated, isSame } = await events.send({
        workspaceId,
        actor: caller,
        eventId,
        name: body.name,
        key: body.key ?? '',
        data: JSON.stringify(body.data ?? null),
      });
      if (!isSame) {
        throw new DeckhandError('CONFLICT', { message: 'Another event was sent with this id in the last 24 hours' });
      }
      if (isRepeated) response.setHeader('Idempotency-Replayed', 'true');
      sendJson(response, 202, { id: eventId, repeated: isRepeated });
    },
    { guard: breaker.check },
  );
}
