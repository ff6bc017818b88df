import { EVENT_NAME_PATTERN, MAX_EVENT_KEY_LENGTH, validationFailed } from '@deckhand/contracts';
import { evaluateKey } from '@deckhand/nodes';
import type { CompiledTemplate } from '@deckhand/engine';
import type { Request } from 'express';
import { v7 as uuidv7 } from 'uuid';
import type { EventSender } from '../runs/event-sender.ts';
import type { WebhookTarget } from './find-target.ts';
import { readRequestKey } from './request-key.ts';
import type { TriggerData } from './trigger-data.ts';
import type { Signal } from './trigger-settings.ts';

const NAME = new RegExp(EVENT_NAME_PATTERN);

/**
 * Sends an event for a request to a webhook in the mode `signal`. For a request to the test URL, nothing is sent: the
 * response shows the event that would be.
 *
 * If the request has an id, the event's id consists of the ids of the workflow and the trigger and that id, so senders
 * of different webhooks cannot choose the same one.
 * @returns the body of the response.
 * @throws DeckhandError VALIDATION_FAILED if an expression fails, or results in no valid name or key.
 */
export async function sendSignal(
  events: EventSender,
  request: Request,
  { target, signal, data }: { target: WebhookTarget; signal: Signal; data: TriggerData },
): Promise<{ readonly isRepeated: boolean; readonly answer: object }> {
  const name = evaluate('event.name', signal.name, data);
  if (name === undefined || !NAME.test(name)) throw invalid('event.name');
  const key = signal.key && evaluate('event.key', signal.key, data);
  const requestKey = readRequestKey(request, target, data)?.key;
  if (target.testActor) {
    const event = { name, key: key ?? null, data: data.trigger };
    return { isRepeated: false, answer: { message: 'A test: no event was sent', event } };
  }
  const eventId = requestKey === undefined ? uuidv7() : `${target.workflowId}/${target.nodeId}/${requestKey}`;
  const { isRepeated } = await events.send({
    workspaceId: target.workspaceId,
    actor: null,
    eventId,
    name,
    key: key ?? '',
    data: data.json,
  });
  return { isRepeated, answer: { message: 'Event received', eventId } };
}

function evaluate(path: string, template: CompiledTemplate, { trigger }: TriggerData): string | undefined {
  const evaluated = evaluateKey(template, trigger, MAX_EVENT_KEY_LENGTH);
  if ('failure' in evaluated) throw invalid(path);
  return evaluated.key;
}

function invalid(path: string) {
  return validationFailed([{ path, message: 'of the trigger has no valid value for this request' }]);
}
