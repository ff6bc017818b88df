import type { PageLanguage } from '../links/page-language.ts';
import { markup } from '../links/markup.ts';
import { fieldsOf, page, type Rejected } from '../links/pages.ts';
import type { FormTarget } from './find-form.ts';

/**
 * Returns the page of a form.
 * @param submission identifies what is sent from this page: two clicks start one run.
 */
export function formPage(
  { title, intro, fields }: Pick<FormTarget, 'title' | 'intro' | 'fields'>,
  language: PageLanguage,
  { submission, rejected }: { submission: string; rejected?: Rejected | undefined },
): string {
  return page(language, title, [
    intro === '' ? markup`` : markup`<p class="question">${intro}</p>`,
    ...fieldsOf(fields, { rejected, language, submission }),
  ]);
}

/** Returns the page after a form was sent, with a link to where the browser goes next. */
export function thanksPage(
  { title, thanks, redirectUrl }: Pick<FormTarget, 'title' | 'thanks' | 'redirectUrl'>,
  language: PageLanguage,
): string {
  const text = thanks ?? language.text('Thank you. Your form was sent.');
  return page(language, title, [
    markup`<p class="question" role="status">${text}</p>`,
    redirectUrl === undefined ? markup`` : markup`<p><a href="${redirectUrl}">${language.text('Continue')}</a></p>`,
  ]);
}
