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

/**
 * Returns the page after a form was sent.
 * @param next the address that follows: a link for browsers that do not go there by themselves.
 */
export function sentPage(
  { title, thanks }: Pick<FormTarget, 'title' | 'thanks'>,
  language: PageLanguage,
  next: string | undefined,
): string {
  const text = thanks ?? language.text('Thank you. Your form was sent.');
  const link = markup`<p><a href="${next}" rel="noreferrer">${language.text('Continue')}</a></p>`;
  return page(language, title, [
    markup`<p class="question" role="status">${text}</p>`,
    next === undefined ? markup`` : link,
  ]);
}
