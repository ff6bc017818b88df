import { defineNodeType, output } from '@deckhand/engine';
import Type from 'typebox';
import { IMAGE_FORMATS } from '../files/file-job.ts';
import { workOnFile } from '../files/file-process.ts';
import { FileParameter, fileSource, withExtension, openWithin } from '../files/file-source.ts';

/** Maximum size of an image, in bytes. */
const MAX_BYTES = 104_857_600;
const Pixels = (description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum: 16_384, description }));

export default defineNodeType({
  type: 'image',
  title: 'Image',
  description:
    'Scales an image and converts it to another format. Reads JPEG, PNG, WebP, AVIF, TIFF and GIF of at most 100 million pixels, of moving ones the first picture. Returns a file. The image is turned upright, and its metadata, such as the place where it was taken, is left out. It is read by a process of its own, which takes at most 60 s and 512 MiB.',
  keywords: ['resize', 'convert', 'thumbnail', 'photo', 'picture', 'jpeg', 'png', 'webp', 'scale'],
  category: 'data',
  icon: 'image',
  summary: '{format}',
  hasEffects: false,
  parameters: Type.Object(
    {
      file: FileParameter('The image, at most 100 MB'),
      format: Type.Optional(
        Type.Enum([...IMAGE_FORMATS], { default: 'jpeg', description: 'The format of the new image' }),
      ),
      width: Pixels('The width in pixels; by the height without it'),
      height: Pixels('The height in pixels; by the width without it'),
      fit: Type.Optional(
        Type.Enum(['inside', 'cover', 'contain', 'fill'], {
          default: 'inside',
          description:
            'With both: inside them; so that it covers them, and is cut; inside them with edges around; or distorted',
        }),
      ),
      enlarge: Type.Optional(Type.Boolean({ default: false, description: 'Whether a smaller image becomes larger' })),
      quality: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 100, description: 'From 1 to 100; by default that of the format' }),
      ),
      fileName: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'The name of the new file' })),
    },
    { additionalProperties: false },
  ),
  form: { inputs: { file: 'expression' } },
  errors: ['FILE_INVALID', 'FILE_LIMIT', 'FILE_NOT_FOUND', 'FILE_TOO_LARGE', 'MEMORY_EXCEEDED', 'STORAGE_FULL'],
  async run(parameters, { files, services, signal, workspaceId, executionId }) {
    const { file, format = 'jpeg', width, height, fit = 'inside', enlarge = false, quality, fileName } = parameters;
    const source = fileSource(file, files);
    const name = fileName ?? withExtension(source.name === '' ? 'image' : source.name, `.${format}`);
    const { saved } = await workOnFile({
      processes: services.fileProcesses,
      workspaceId,
      executionId,
      signal: signal(),
      job: {
        kind: 'image',
        format,
        fit,
        enlarge,
        ...(width !== undefined && { width }),
        ...(height !== undefined && { height }),
        ...(quality !== undefined && { quality }),
      },
      content: await openWithin(source, MAX_BYTES),
      save: (content) => files.save(content, { name, contentType: `image/${format}` }),
    });
    return output(saved);
  },
  example: {
    trigger: {
      file: {
        base64: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        contentType: 'image/png',
        filename: 'dot.png',
      },
    },
    definition: {
      nodes: [
        { id: 'start', type: 'trigger.manual' },
        {
          id: 'convert',
          type: 'image',
          parameters: { file: '{{ $trigger.file }}', format: 'webp', width: 100 },
        },
      ],
      edges: [{ source: 'start', target: 'convert' }],
    },
    outputs: {},
  },
});
