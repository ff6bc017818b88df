import { acceptsFile, type FileField, type FileValue, type JsonValue, sizeIssue, typeIssue } from '@deckhand/contracts';
import { FileInput } from '@mantine/core';
import { useIsMutating, useMutation } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext } from 'react';
import { i18n } from '../language/i18n.ts';

/** Stores a file, and returns its value. Undefined where no file can be stored, such as in the preview of a form. */
export const UploadContext = createContext<((file: File) => Promise<FileValue>) | undefined>(undefined);

const STORING = ['store-files'];

/** Whether files are being stored: their values are not in a form yet. */
export const useIsStoring = (): boolean => useIsMutating({ mutationKey: STORING }) > 0;

/** A field for files, which are stored as soon as they are chosen. */
export function FilesInput({
  files,
  onChange,
  ...common
}: {
  label: string;
  description: ReactNode;
  required: boolean;
  files: FileField;
  /** Called with the values of stored files; with undefined while none are. */
  onChange: (value: JsonValue | undefined) => void;
}) {
  const upload = useContext(UploadContext);
  const storing = useMutation({
    mutationKey: STORING,
    async mutationFn(chosen: readonly File[]) {
      for (const file of chosen) requireFitting(files, file);
      const values: FileValue[] = [];
      for (const file of chosen) if (upload) values.push(await upload(file));
      return values;
    },
    // The one of the latest rendering: other fields may have changed meanwhile.
    onSuccess: (values) => onChange(values.length === 0 ? undefined : files.isList ? values : values[0]),
    onError: () => onChange(undefined),
  });
  const input = {
    ...common,
    clearable: true,
    disabled: !upload || storing.isPending,
    placeholder: storing.isPending ? i18n.t('Uploading…') : i18n.t('Choose a file'),
    accept: files.accept.join(','),
    error: storing.error?.message,
  };
  return files.isList ? (
    <FileInput {...input} multiple onChange={storing.mutate} />
  ) : (
    <FileInput {...input} onChange={(file) => storing.mutate(file ? [file] : [])} />
  );
}

/** @throws Error for a file that the API would refuse. */
function requireFitting(files: FileField, { name, type, size }: File): void {
  if (!acceptsFile(files, { name, contentType: type })) throw new Error(typeIssue(files));
  if (size > files.maxBytes) throw new Error(sizeIssue(files));
}
