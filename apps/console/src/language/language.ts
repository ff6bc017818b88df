import { i18n } from './i18n.ts';
import { setMessageTranslator, setServedTexts } from './served-text.ts';

/** The languages of the console, each by its own name. */
export const LANGUAGES = [
  ['en', 'English'],
  ['de', 'Deutsch'],
] as const;

type Language = (typeof LANGUAGES)[number][0];

const PLACE = 'deckhand.language';

/** Returns the language that a person has chosen in this browser, or else the first of the browser's that there is. */
export function readLanguage(): Language {
  const wanted = [localStorage.getItem(PLACE), ...navigator.languages].map((tag) => tag?.split('-')[0]);
  return wanted.find(isLanguage) ?? 'en';
}

/** Keeps the choice of a language, and shows the page in it. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem(PLACE, language);
  location.reload();
}

/** Loads the texts of the language, before any module uses them. If that fails, the console is in English. */
export async function loadLanguage(): Promise<void> {
  const language = readLanguage();
  if (language === 'en') return;
  try {
    const { messages, servedTexts, translateMessage } = await import('./german.ts');
    i18n.loadAndActivate({ locale: language, messages });
    setServedTexts(servedTexts);
    setMessageTranslator(translateMessage);
    document.documentElement.lang = language;
  } catch (error) {
    // oxlint-disable-next-line no-console -- the page cannot show it yet
    console.warn('The texts of the language are not loaded', error);
  }
}

function isLanguage(tag: string | undefined): tag is Language {
  return LANGUAGES.some(([language]) => language === tag);
}
