import { isFinished, parseOwnJson } from '@deckhand/contracts';
import type { LinkedWait } from '@deckhand/db';
import { allowsLinks } from '../runs/answer.ts';

/** What a person is asked. */
export type Question =
  | { readonly kind: 'approval'; readonly message: string; readonly choices: readonly string[] }
  | { readonly kind: 'human'; readonly title: string; readonly schema: unknown };

/** What a link leads to at the moment. */
export type LinkState =
  /** There is no such run any more, or the wait is not to be answered by links. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'notYet' }
  | { readonly kind: 'open' | 'paused' | 'timedOut'; readonly question: Question }
  | { readonly kind: 'ended'; readonly question: Question | undefined }
  | {
      readonly kind: 'answered';
      readonly question: Question;
      /** Serialised. */
      readonly answer: string;
      readonly isByLink: boolean;
      readonly at: Date;
    };

/** Returns the state of the wait that a link leads to. */
export function stateOf(found: LinkedWait | undefined): LinkState {
  if (!found) return { kind: 'unknown' };
  const { status, wait } = found;
  const isOver = isFinished(status);
  if (!wait) return isOver ? { kind: 'ended', question: undefined } : { kind: 'notYet' };
  if (!allowsLinks(wait.details)) return { kind: 'unknown' };
  const question = questionOf(wait);
  const { answer, by, at } = wait;
  if (answer !== null && at !== null) return { kind: 'answered', question, answer, isByLink: by === null, at };
  if (at !== null) return { kind: 'timedOut', question };
  if (isOver || wait.isCancelled) return { kind: 'ended', question };
  if (wait.isTimeUp) return { kind: 'timedOut', question };
  if (!wait.isNodeWaiting) return { kind: 'notYet' };
  return { kind: status === 'paused' ? 'paused' : 'open', question };
}

function questionOf({ kind, details }: NonNullable<LinkedWait['wait']>): Question {
  if (kind === 'approval') return { kind, ...parseOwnJson<{ message: string; choices: string[] }>(details) };
  return { kind, ...parseOwnJson<{ title: string; schema: unknown }>(details) };
}
