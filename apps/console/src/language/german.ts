import { createMessageTranslator, GERMAN_MESSAGES } from '@deckhand/contracts';

/** The texts of the console in German, which are loaded when somebody wants them. */
export { default as messages } from './de.json' with { type: 'json' };
export { default as servedTexts } from './de-served.json' with { type: 'json' };

/** Translates messages of the service. */
export const translateMessage = createMessageTranslator(GERMAN_MESSAGES);
