import Type, { type Static } from 'typebox';
import { Id, Time } from './common.ts';

const Key = Type.String({ minLength: 1, maxLength: 200, description: 'The key of the conversation' });

/** The query of one memory. */
export const MemoryQuery = Type.Object({ workspaceId: Id, key: Key });

const About = { key: Type.String(), updatedAt: Time };

/** A memory in a list. */
export const MemoryEntry = Type.Object({
  ...About,
  messages: Type.Integer({ description: 'How many it has: a question and an answer are two' }),
});

/** A memory with what it has, oldest first. */
export const Memory = Type.Object({
  ...About,
  messages: Type.Array(
    Type.Object({
      role: Type.Enum(['user', 'assistant'], { description: '`user` wrote the prompt, `assistant` is the agent' }),
      text: Type.String(),
      executionId: Type.String({ format: 'uuid', description: 'The run of the agent' }),
      at: Time,
    }),
  ),
});

export type MemoryQuery = Static<typeof MemoryQuery>;
export type MemoryEntry = Static<typeof MemoryEntry>;
export type Memory = Static<typeof Memory>;
