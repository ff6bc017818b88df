/** The texts of the console in German, which are loaded when somebody wants them. */
export { default as messages } from './de.json' with { type: 'json' };
export { default as servedTexts } from './de-served.json' with { type: 'json' };
