import { parse } from 'content-type';
import type { Request } from 'express';
import {
  acceptsFile,
  DeckhandError,
  type SimpleForm,
  sizeIssue,
  typeIssue,
  type ValidationIssue,
  validationFailed,
} from '@deckhand/contracts';
import type { LinkContext } from '../contexts.ts';
import { readBytes } from '../http/read-body.ts';
import { readPaced } from '../http/request-time.ts';
import { parseForm } from '../webhooks/form.ts';
import { type FileLimit, type FileOfForm, storeMultipart } from '../webhooks/stored-body.ts';
import type { Entered } from './simple-form.ts';

/** Maximum size of an answer without files, in bytes: a comment of 10,000 characters has at most 90,000 in a form. */
const MAX_ANSWER_BYTES = 131_072;
const FORM_TYPE = 'application/x-www-form-urlencoded';
const FILES_TYPE = 'multipart/form-data';

/** What a browser sent. */
export interface SentForm {
  readonly entered: Entered;
  /** Why the files are refused; undefined if they are not. */
  readonly refusal: DeckhandError | undefined;
  /** Leaves the files to the sweep that no run names. */
  readonly discard: () => Promise<void>;
}

/** The form of a page. */
interface ShownForm {
  /** Undefined for a page without fields. */
  readonly form: SimpleForm | undefined;
  readonly workspaceId: string;
  /** What forms with files are counted by: a run, or a public form and the network of its sender. */
  readonly uploadKey: string;
}

/**
 * Reads the form of a page. Files are stored while they come, if the form has fields for them.
 * @throws DeckhandError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, RATE_LIMITED, VALIDATION_FAILED; FileError.
 */
export async function readForm(
  context: Pick<LinkContext, 'files' | 'shares' | 'linkLimit' | 'maxFileBytes'>,
  request: Request,
  { form, workspaceId, uploadKey }: ShownForm,
): Promise<SentForm> {
  const contentType = request.headers['content-type'] ?? '';
  const { type } = parse(contentType);
  const isEncoded = (request.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
  const takesFiles = form?.some((field) => field.files) === true;
  if (isEncoded || (type !== FORM_TYPE && !(takesFiles && type === FILES_TYPE))) {
    request.resume();
    throw new DeckhandError('UNSUPPORTED_MEDIA_TYPE', { message: 'Send the form of this page' });
  }
  if (type === FORM_TYPE) {
    const entered = parseForm((await readBytes(request, MAX_ANSWER_BYTES)).toString());
    return { entered, refusal: undefined, discard: () => Promise.resolve() };
  }
  const { files, shares, linkLimit, maxFileBytes } = context;
  const { admit, refusal } = admission(form ?? []);
  const limits = { maxBytes: maxFileBytes, maxFieldBytes: MAX_ANSWER_BYTES };
  try {
    await linkLimit.upload(uploadKey);
    const { fields, discard } = await shares.within(workspaceId, 'form uploads', () =>
      storeMultipart({ content: readPaced(request), contentType, workspaceId, files, admit, ...limits }),
    );
    return { entered: fields, refusal: refusal(), discard };
  } catch (error) {
    request.resume();
    throw error;
  }
}

/** Decides about the files of a form, and collects the issues of those that its fields do not take. */
function admission(form: SimpleForm): {
  readonly admit: (file: FileOfForm) => FileLimit | undefined;
  readonly refusal: () => DeckhandError | undefined;
} {
  const issues: ValidationIssue[] = [];
  const counts = new Map<string, number>();
  let isTooLarge = false;
  return {
    admit(file) {
      const field = form.find(({ input }) => input === file.field);
      // A browser sends a part without a name for an input in which no file was chosen.
      if (!field?.files || file.name === '') return undefined;
      const path = `data.${field.name}`;
      const count = (counts.get(field.input) ?? 0) + 1;
      counts.set(field.input, count);
      if (count > field.files.maxFiles) {
        const message = `must NOT have more than ${field.files.maxFiles} files`;
        if (count === field.files.maxFiles + 1) issues.push({ path, message });
        return undefined;
      }
      if (!acceptsFile(field.files, file)) {
        issues.push({ path, message: typeIssue(field.files) });
        return undefined;
      }
      const onExcess = (): void => {
        isTooLarge = true;
        issues.push({ path, message: field.files ? sizeIssue(field.files) : '' });
      };
      return { maxBytes: field.files.maxBytes, onExcess };
    },
    refusal() {
      if (issues.length === 0) return undefined;
      return isTooLarge ? new DeckhandError('PAYLOAD_TOO_LARGE', { details: issues }) : validationFailed(issues);
    },
  };
}
