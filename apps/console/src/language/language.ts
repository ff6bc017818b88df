import { i18n } from './i18n.js';
import { setServedTexts } from './served-text.js';

/** The languages of the console, each by its own name. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof LANGUAGES;

const PLACE = 'deckhand.language';

/** Returns the language that a person has chosen in this browser, or else the first of the browser's that there is. */
export function readLanguage(): Language {
  const wanted = [localStorage.getItem(PLACE), ...navigator.languages];
  return wanted.map((tag) => tag?.split('-')[0]).find(isLanguage) ?? 'en';
}

/** Keeps the choice of a language, and shows the page in it. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem(PLACE, language);
  location.reload();
}

/** Loads the texts of the language, before any module uses them. */
export async function loadLanguage(): Promise<void> {
  const language = readLanguage();
  document.documentElement.lang = language;
  if (language === 'en') return;
  const { messages, servedTexts } = await import('./german.js');
  i18n.loadAndActivate({ locale: language, messages });
  setServedTexts(servedTexts);
}

function isLanguage(tag: string | undefined): tag is Language {
  return tag !== undefined && Object.hasOwn(LANGUAGES, tag);
}
