import { parseOwnJson, simpleForm, type SimpleForm, type ValidationIssue } from '@deckhand/contracts';
import { createHash } from 'node:crypto';
import { markup, Markup } from './markup.ts';
import type { LinkState, Question } from './link-state.ts';
import type { PageLanguage } from './page-language.ts';
import { type Entered, labelOf, simpleFormInputs, textOf } from './simple-form.ts';

const STYLE = `
:root { color-scheme: light dark; font: 1.0625rem/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 36rem; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.375rem; line-height: 1.3; }
.question { overflow-wrap: anywhere; white-space: pre-wrap; }
.field { margin: 1rem 0; }
label { display: block; font-weight: 600; }
label.check { font-weight: 400; }
small { display: block; opacity: 0.75; }
label small { display: inline; font-weight: 400; }
input:not([type='checkbox']), textarea, select { box-sizing: border-box; font: inherit; padding: 0.5rem; width: 100%; }
button { border: 1px solid; border-radius: 0.375rem; font: inherit; margin: 0.25rem 0; min-height: 3rem;
  overflow-wrap: anywhere; padding: 0.5rem 1rem; width: 100%; }
.issues { border-left: 0.25rem solid #c92a2a; padding-left: 0.75rem; }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** What a page may do: show itself, with its own style, and send its form to this origin. It has no script. */
export const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${STYLE_HASH}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** What a person entered, and why it was not recorded. */
export interface Rejected {
  readonly entered: Entered;
  readonly issues: readonly ValidationIssue[];
}

/**
 * Returns the page of a link.
 * @param note says what became of an answer that was just sent, in English.
 * @param consolePath the address of the run in the console.
 */
export function linkPage(
  state: LinkState,
  language: PageLanguage,
  { note, rejected, consolePath }: { note?: string; rejected?: Rejected; consolePath?: string } = {},
): string {
  const { text } = language;
  const noted = note === undefined ? markup`` : markup`<p role="status">${text(note)}</p>`;
  switch (state.kind) {
    case 'unknown':
      return messagePage(
        language,
        'This link is not valid',
        'It may be incomplete, or what it led to may have been deleted.',
      );
    case 'notYet':
      return messagePage(
        language,
        'Not waiting yet',
        'The workflow has not come to this question. Open the link again later.',
      );
    case 'paused':
      return page(language, text('Paused'), [
        questionOf(state.question),
        markup`<p>${text('The workflow is paused at the moment. Open the link again later.')}</p>`,
      ]);
    case 'timedOut':
      return page(language, text('Too late'), [
        questionOf(state.question),
        markup`<p>${text('The time to answer was up.')}</p>`,
        noted,
      ]);
    case 'ended':
      return page(language, text('No longer needed'), [
        state.question ? questionOf(state.question) : markup``,
        markup`<p>${text('The workflow has ended, or gone on without an answer.')}</p>`,
        noted,
      ]);
    case 'answered':
      return page(language, text('Answered'), [noted, questionOf(state.question), answerOf(state, language)]);
    case 'open':
      return openPage(state.question, language, { rejected, consolePath });
  }
}

/** Returns a page that says one thing. @param message an error of the service, or a text of pages, in English */
export function messagePage(language: PageLanguage, title: string, message: string): string {
  const { text } = language;
  return page(language, text(title), [markup`<p>${language.message(text(message))}</p>`]);
}

function openPage(
  question: Question,
  language: PageLanguage,
  { rejected, consolePath }: { rejected: Rejected | undefined; consolePath: string | undefined },
): string {
  const { text } = language;
  if (question.kind === 'approval') {
    const { choices } = question;
    const buttons = choices.map((choice) => markup`<button name="decision" value="${choice}">${text(choice)}</button>`);
    return page(language, text('Your decision'), [
      questionOf(question),
      issuesOf(rejected, undefined, language),
      markup`<form method="post">
        <div class="field">
          <label for="comment">${text('Comment')} <small>${text('(optional)')}</small></label>
          <textarea id="comment" name="comment" rows="3" maxlength="10000">\n${commentOf(rejected)}</textarea>
        </div>
        ${buttons}
      </form>`,
    ]);
  }
  const form = simpleForm(question.schema);
  if (!form) {
    return page(language, question.title, [
      markup`<p>${text('This form has fields that cannot be shown here.')}</p>`,
      markup`<p><a href="${consolePath}">${text('Sign in to fill it in')}</a></p>`,
    ]);
  }
  return page(language, question.title, fieldsOf(form, { rejected, language }));
}

/**
 * Returns a form with its inputs, below what was wrong with the one that was sent before.
 * @param submission a text that the browser sends with it; none by default.
 */
export function fieldsOf(
  form: SimpleForm,
  {
    rejected,
    language,
    submission,
  }: { rejected: Rejected | undefined; language: PageLanguage; submission?: string | undefined },
): Markup[] {
  const { text } = language;
  const inputs = simpleFormInputs(form, rejected?.entered, language);
  const hasFiles = form.some(({ type }) => type === 'file');
  const hidden = submission !== undefined && markup`<input type="hidden" name="submission" value="${submission}" />`;
  return [
    issuesOf(rejected, form, language),
    rejected && hasFiles ? markup`<p>${text('Choose the files again.')}</p>` : markup``,
    markup`<form method="post"${hasFiles && markup` enctype="multipart/form-data"`}>${hidden}${inputs}<button>${text('Submit')}</button></form>`,
  ];
}

function commentOf(rejected: Rejected | undefined): string {
  return rejected ? textOf(rejected.entered, 'comment') : '';
}

function issuesOf(rejected: Rejected | undefined, form: SimpleForm | undefined, language: PageLanguage): Markup {
  if (!rejected) return markup``;
  const items = rejected.issues.map(({ path, message }) => {
    const name = path.replace(/^data\.?/, '');
    const field = form?.find((each) => each.name === name);
    return markup`<li>${[field ? labelOf(field) : name, language.message(message)].filter((part) => part !== '').join(': ')}</li>`;
  });
  return markup`<div class="issues" role="alert"><p>${language.text('Nothing was recorded yet.')}</p><ul>${items}</ul></div>`;
}

function questionOf(question: Question): Markup {
  return markup`<p class="question">${question.kind === 'approval' ? question.message : question.title}</p>`;
}

function answerOf(
  { question, answer, isByLink, at }: Extract<LinkState, { kind: 'answered' }>,
  { text, time }: PageLanguage,
): Markup {
  const decision = question.kind === 'approval' && parseOwnJson<{ decision: string }>(answer).decision;
  const where = text(isByLink ? 'Answered through this link' : 'Answered by a member of the workspace');
  return markup`${decision !== false && markup`<p><strong>${text(decision)}</strong></p>`}
    <p>${where}, ${time(at)}.</p>`;
}

/** Returns a page of some parts below its title. */
export function page({ tag }: PageLanguage, title: string, content: readonly Markup[]): string {
  const { source } = markup`<html lang="${tag}">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="robots" content="noindex" />
      <title>${title}</title>
      <style>${new Markup(STYLE)}</style>
    </head>
    <body><main><h1>${title}</h1>${content}</main></body>
  </html>`;
  return `<!doctype html>\n${source}\n`;
}
