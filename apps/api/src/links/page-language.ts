import { createMessageTranslator, GERMAN_MESSAGES } from '@deckhand/contracts';

/** The language of a page, and its texts: English ones are their own keys. */
export interface PageLanguage {
  readonly tag: 'en' | 'de';
  readonly text: (english: string) => string;
  /** Translates why an answer was refused. */
  readonly message: (english: string) => string;
  /** Writes a time in UTC: a page without scripts does not know the reader's time zone. */
  readonly time: (at: Date) => string;
}

/** The language without a preference. */
export const ENGLISH: PageLanguage = {
  tag: 'en',
  text: (english) => english,
  message: (english) => english,
  time: (at) => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
};

const GERMAN_TEXTS: ReadonlyMap<string, string> = new Map([
  ['This link is not valid', 'Dieser Link ist ungültig'],
  [
    'It may be incomplete, or what it led to may have been deleted.',
    'Möglicherweise ist er unvollständig, oder das, wohin er führte, wurde gelöscht.',
  ],
  ['Not waiting yet', 'Noch nicht so weit'],
  [
    'The workflow has not come to this question. Open the link again later.',
    'Der Workflow ist noch nicht bei dieser Frage. Öffnen Sie den Link später noch einmal.',
  ],
  ['Paused', 'Pausiert'],
  [
    'The workflow is paused at the moment. Open the link again later.',
    'Der Workflow ist gerade pausiert. Öffnen Sie den Link später noch einmal.',
  ],
  ['Too late', 'Zu spät'],
  ['The time to answer was up.', 'Die Zeit für eine Antwort war abgelaufen.'],
  ['No longer needed', 'Nicht mehr nötig'],
  ['The workflow has ended, or gone on without an answer.', 'Der Workflow ist beendet oder ging ohne Antwort weiter.'],
  ['Answered', 'Beantwortet'],
  ['Answered through this link', 'Über diesen Link beantwortet'],
  ['Answered by a member of the workspace', 'Von einem Mitglied des Arbeitsbereichs beantwortet'],
  ['Your decision', 'Ihre Entscheidung'],
  ['Comment', 'Kommentar'],
  ['(optional)', '(freiwillig)'],
  [
    'This form has fields that cannot be shown here.',
    'Dieses Formular hat Felder, die hier nicht angezeigt werden können.',
  ],
  ['Sign in to fill it in', 'Melden Sie sich an, um es auszufüllen'],
  ['Submit', 'Absenden'],
  ['Thank you. Your form was sent.', 'Vielen Dank. Ihr Formular wurde gesendet.'],
  ['Continue', 'Weiter'],
  ['Choose the files again.', 'Wählen Sie die Dateien noch einmal aus.'],
  ['Nothing was recorded yet.', 'Es wurde noch nichts gespeichert.'],
  ['Your answer is recorded.', 'Ihre Antwort ist gespeichert.'],
  ['Your answer was not recorded.', 'Ihre Antwort wurde nicht gespeichert.'],
  [
    'Your answer is recorded. The workflow continues as soon as the service can.',
    'Ihre Antwort ist gespeichert. Der Workflow geht weiter, sobald der Dienst es kann.',
  ],
  ['Not available', 'Nicht verfügbar'],
  [
    'The service cannot do this at the moment. Try again later.',
    'Der Dienst kann dies gerade nicht. Versuchen Sie es später erneut.',
  ],
  ['That did not work', 'Das hat nicht geklappt'],
  // The choices of an approval that has none of its own.
  ['approved', 'genehmigt'],
  ['rejected', 'abgelehnt'],
]);

const GERMAN: PageLanguage = {
  tag: 'de',
  text: (english) => GERMAN_TEXTS.get(english) ?? english,
  message: createMessageTranslator(GERMAN_MESSAGES),
  time: (at) => `${at.toLocaleString('de-DE', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })} UTC`,
};

/** Returns the language that the browser of a reader prefers, of those that pages have. */
export function pageLanguageOf(request: { acceptsLanguages(...tags: string[]): string | false }): PageLanguage {
  return request.acceptsLanguages('en', 'de') === 'de' ? GERMAN : ENGLISH;
}
