import { pipeline } from 'node:stream/promises';
import type { Writable } from 'node:stream';
import sharp from 'sharp';
import { FileFailure, type ImageOptions } from './file-job.ts';

/** Maximum size of an image, read or written, in pixels. */
const MAX_PIXELS = 100_000_000;
/** The formats that are read, by what reads them. Others, such as SVG and PDF, are programs more than images. */
const READERS = ['Jpeg', 'Png', 'Webp', 'Heif', 'Tiff', 'Nsgif'].map((format) => `VipsForeignLoad${format}`);

/** Turns an image upright, scales it, and writes it in a format, without its metadata. Runs in a process of its own. */
export async function convertImage(bytes: Uint8Array, options: ImageOptions, output: Writable): Promise<void> {
  const { width, height, fit, enlarge, format, quality } = options;
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: READERS });
  sharp.cache(false);
  sharp.concurrency(1);
  if ((width ?? 1) * (height ?? 1) > MAX_PIXELS) throw tooManyPixels();
  const image = sharp(bytes, { limitInputPixels: MAX_PIXELS, sequentialRead: true, autoOrient: true });
  try {
    if (width !== undefined || height !== undefined) image.resize({ width, height, fit, withoutEnlargement: !enlarge });
    await pipeline(image.toFormat(format, { quality }), output, { end: false });
  } catch (error) {
    if (error instanceof Error && error.message.includes('exceeds pixel limit')) throw tooManyPixels();
    throw error;
  }
}

function tooManyPixels(): FileFailure {
  return new FileFailure('FILE_LIMIT', `the image has more than ${MAX_PIXELS} pixels`);
}
