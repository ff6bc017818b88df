import { DeckhandError } from '@deckhand/contracts';
import { Prisma } from './client.ts';

/** Prisma's code for a value that must be unique and is taken. */
const UNIQUE_VIOLATION = 'P2002';

/** Converts the database's error for a value that is taken into a CONFLICT with this message; pass it to `catch`. */
export function conflictWhenTaken(message: string): (error: unknown) => never {
  return (error) => {
    const isTaken = error instanceof Prisma.PrismaClientKnownRequestError && error.code === UNIQUE_VIOLATION;
    throw isTaken ? new DeckhandError('CONFLICT', { message, cause: error }) : error;
  };
}
