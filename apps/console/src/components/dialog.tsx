import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { i18n } from '../language/i18n.ts';

/** What every dialog has. */
export interface DialogProps {
  readonly title: ReactNode;
  /** By default true: many dialogs exist only while they are open. */
  readonly isOpen?: boolean;
  readonly size?: 'md' | 'lg' | 'xl';
  /** Whether its content is shown only once: then a click outside does not close it. */
  readonly isShownOnce?: boolean;
  /** Whether the focus goes back to where it was; by default true. */
  readonly returnsFocus?: boolean;
  readonly onClose: () => void;
}

/** A dialog in front of the page. */
export function Dialog({
  title,
  isOpen = true,
  size = 'md',
  isShownOnce = false,
  returnsFocus = true,
  onClose,
  children,
}: DialogProps & { readonly children: ReactNode }) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      size={size}
      returnFocus={returnsFocus}
      closeOnClickOutside={!isShownOnce}
      closeButtonProps={{ 'aria-label': i18n.t('Close') }}
    >
      {children}
    </Modal>
  );
}
