import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';

interface AnchorLinkProps extends AnchorProps, Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps> {
  ref?: Ref<HTMLAnchorElement>;
}

/** A link within the console that looks like one. */
export const AnchorLink = createLink((props: AnchorLinkProps) => <Anchor {...props} />);

interface ButtonLinkProps extends ButtonProps, Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps> {
  ref?: Ref<HTMLAnchorElement>;
}

/** A link within the console that looks like a button. */
export const ButtonLink = createLink((props: ButtonLinkProps) => <Button component="a" {...props} />);
