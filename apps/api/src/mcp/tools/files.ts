import { mediaTypeOf, validationFailed } from '@deckhand/contracts';
import Type from 'typebox';
import { storeUpload } from '../../files/store-upload.ts';
import { defineTool, json } from '../tool.ts';
import { CLOSED, Uuid } from './arguments.ts';

/** Maximum length of a file in base64: 4 MiB of bytes. */
const MAX_BASE64 = 5_592_408;

/** Tools for files. */
export const fileTools = [
  defineTool({
    name: 'deckhand_upload_file',
    title: 'Upload a file',
    description:
      'Stores a file of up to 4 MiB for the input of a run, and returns `{ "file": … }`: use that as the value of a file in the arguments of a workflow within 24 hours. The same bytes have the same id.',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    needed: { scope: 'workflows:write' },
    input: Type.Object(
      {
        workflowId: Uuid,
        name: Type.String({ maxLength: 255, description: 'Such as `invoice.pdf`' }),
        contentType: Type.Optional(Type.String({ maxLength: 255, description: 'Its media type' })),
        base64: Type.String({ maxLength: MAX_BASE64, description: 'Its bytes' }),
      },
      CLOSED,
    ),
    async act({ runs, caller }, { workflowId, name, contentType, base64 }) {
      const bytes = Buffer.from(base64, 'base64');
      const padded = bytes.toString('base64');
      // The padding is optional.
      if (base64 !== padded && base64 !== padded.replace(/={1,2}$/, ''))
        throw validationFailed([{ path: 'base64', message: 'must be base64' }]);
      const about = { name, contentType: mediaTypeOf({ contentType }), content: [bytes] };
      return json(await storeUpload(runs, caller, { workflowId: workflowId.toLowerCase(), ...about }));
    },
  }),
];
